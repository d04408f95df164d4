// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/spec/training_spec.h"

namespace temper {

/// Inputs of a model by name, each with the number that fills all of its elements.
using FixedInputs = std::map<std::string, double>;

/// Makes these inputs constants of the model. Control flow that depends on them is resolved: the
/// chosen branch replaces its If, and the branch's weights belong to the model. A named dimension,
/// such as the batch of a state [2, N, H], takes the size of that name in a remaining input. Types
/// are inferred. Pointers into the model become invalid.
/// Throws: Error(NotFound) for a name that no input has; Error(InvalidInput) for an input with a
/// dimension that no other input determines, that does not hold numbers or whose type can't
/// represent the number.
void fixInputs(Graph& model, const OpSet& ops, const FixedInputs& values);

/// Throws: as fixInputs() for one input that is fixed along with `others`; the model is unchanged.
void requireFixable(const Graph& model, const std::string& input, double value,
                    const FixedInputs& others = {});

/// The specification after an input, now called `current`, was fixed; it no longer has a new name
/// or data.
TrainingSpec withFixedInput(TrainingSpec spec, const std::string& current, double value);

}  // namespace temper
