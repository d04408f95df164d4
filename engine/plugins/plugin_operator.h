// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ops/op_set.h"
#include "engine/plugins/plugin.h"

namespace temper {

/// A plugin's operator as one of Temper's: types, kernel, and if it has a gradient, the operator
/// `<name>Grad` of the same domain that computes it.
///
/// Inputs of `<name>Grad`: the gradients of all outputs, then all inputs (max_inputs of them),
/// then, if gradient_reads_outputs is set, all outputs; absent ones are omitted. Outputs: the
/// gradients of the inputs. Attributes: those of the forward node. Throws: Error(Internal) if the
/// operator already exists.
void addPluginOperator(OpSet& ops, const TemperOperator& op);

/// Throws: Error(InvalidInput) saying what is wrong with a table: no name, a domain that plugins
/// may not add to, a missing function, too many inputs.
void requireValid(const TemperOperator& op);

}  // namespace temper
