// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ops/op_set.h"
#include "engine/plugins/plugin.h"

namespace temper {

/// A plugin's operator as one of Temper's: types, kernel, and where it has a gradient, the operator
/// `<name>Grad` of the same domain that computes it.
///
/// Inputs of `<name>Grad`: the gradients of all outputs, then all inputs (max_inputs of them),
/// then, where gradient_reads_outputs is set, all outputs; what is not there is omitted. Outputs:
/// the gradients of the inputs. Attributes: those of the forward node. Throws: Error(Internal)
/// where the operator is there already.
void addPluginOperator(OpSet& ops, const TemperOperator& op);

/// Throws: Error(InvalidInput) saying what is wrong with a table: no name, a domain that is not the
/// plugin's to add to, a function that is missing, too many inputs.
void requireValid(const TemperOperator& op);

}  // namespace temper
