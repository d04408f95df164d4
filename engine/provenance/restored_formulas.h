// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/provenance/sharing.h"

namespace temper {

/// A tensor that the model computes from a parameter again.
struct RestoredFormula {
    std::string tensor;     ///< "exp"
    std::string parameter;  ///< "logit_scale"
    std::string source;     ///< the initializer with its numbers
};

/// Exporters compute what depends on parameters only: of exp(logit_scale), the result is left. If
/// the names in their metadata tell the whole formula, and it has an inverse (exp, -exp, sigmoid,
/// tanh; 1 + weight, if the program's line says so), nodes compute the tensor from the parameter.
/// The parameter's initializer has its name if it also has its shape and layout, which is certain
/// if the exporter only added unit dimensions; otherwise it has the layout of the tensor, and is
/// called "exp_source". Tensors that the user keeps merged stay.
std::vector<RestoredFormula> restoreFormulas(Graph& model, const SharingChoices& choices);

}  // namespace temper
