// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/runtime/kernel.h"
#include "engine/runtime/planning/plan_types.h"

namespace temper {

/// Runs a node whose inputs are all known before the run, and keeps its outputs as constants.
/// Returns: false, with nothing done, if an input is unknown, the kernel draws random numbers or
/// writes to its inputs, or the outputs would take much more memory than the inputs.
bool foldConstants(const Node& node, const Kernel& kernel, PlanValues& values);

}  // namespace temper
