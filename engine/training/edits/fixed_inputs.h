// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/spec/training_spec.h"

namespace temper {

/// Inputs of a model by name, each with the number that it holds in all of its elements.
using FixedInputs = std::map<std::string, double>;

/// Makes these inputs constants of the model. Control flow that follows from them is decided: the
/// chosen branch stands in the place of its If, and the branch's weights belong to the model. A
/// dimension with a name, such as the batch of a state [2, N, H], is as long as that of the same
/// name of an input that stays. Types are inferred. Pointers into the model are not valid
/// afterwards.
/// Throws: Error(NotFound) for a name that no input has; Error(InvalidInput) for an input with a
/// dimension that no other input tells, that does not hold numbers or whose type does not have the
/// number.
void fixInputs(Graph& model, const OpSet& ops, const FixedInputs& values);

/// Throws: as that for one input that is fixed beside `others`; the model stays as it is.
void requireFixable(const Graph& model, const std::string& input, double value,
                    const FixedInputs& others = {});

/// The specification after an input, called `current` now, was fixed; it has no new name and no
/// data any more.
TrainingSpec withFixedInput(TrainingSpec spec, const std::string& current, double value);

}  // namespace temper
