// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/training/loss/loss_function.h"

namespace temper {

/// An input that a loss reads as its target and that is meaningless outside a range.
struct RangedTarget {
    std::string input;
    std::string loss;  ///< the label of the loss, for messages: "Hinge"
    TargetRange range;
};

/// The targets with a range (LossFunction::targets) of the loss that an eval (or training) model
/// computes, derived from its nodes as by describeLoss(): ours and ORT's, also several and those in
/// formulas. Only inputs that a loss reads as they are: in `hinge(out, 2*t - 1)`, `t` has no range.
/// Each input once per loss.
std::vector<RangedTarget> rangedTargets(const Graph& model);

}  // namespace temper
