// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/ir/op_catalog.h"
#include "engine/provenance/evidence.h"

namespace temper {

/// What a tensor was in the program that a model was exported from.
enum class TensorRole { Parameter, Buffer, Constant };

struct Verdict {
    TensorRole role = TensorRole::Parameter;
    std::string reason;  ///< a few words; empty: nothing speaks against a parameter
    /// The parameters that it is or holds, by their names in the module; empty: unknown.
    std::vector<std::string> parameters = {};
};

/// The one place that distinguishes parameters from buffers and constants. Evidence counts in this
/// order: numbers that encode positions, what the exporter wrote about the tensor, the operation
/// that its readers were made for, its name, its numbers and its use. For floating-point
/// initializers.
Verdict judge(const Graph& graph, const Value& initializer, const Evidence& evidence,
              const OpCatalog& catalog);

}  // namespace temper
