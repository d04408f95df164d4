// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// The tensors of numbers that nodes compute and from which others make a sequence or an optional:
/// those of a SequenceConstruct, the one that a SplitToSequence splits, what a Loop starts from.
std::vector<Value*> tensorSources(const Value& value);

/// The model's outputs of numbers; in place of those that are no tensors, their tensorSources().
std::vector<Value*> outputsOfNumbers(const Graph& model);

}  // namespace temper
