// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/ir/op_catalog.h"

namespace temper {

/// The layouts of the weights whose units can die: before anything else that mixes units and before
/// the loss, they are followed by an operator that is exactly flat somewhere, such as Relu. A unit
/// that is flat for all samples has gradients of exactly zero. By the names of the weights; `model`
/// is an eval or training model, whose last layer is none of these. Shapes: Conv [units, ...]; Gemm
/// [inputs, units], or [units, inputs] with transB; MatMul [inputs, units]; ConvTranspose [inputs,
/// units of a group, ...].
std::map<std::string, UnitLayout> unitsThatCanDie(const Graph& model, const OpCatalog& catalog);

}  // namespace temper
