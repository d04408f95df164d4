// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "engine/runtime/execution_plan.h"

namespace temper {

/// Moves each step after the position given for it; steps of one position keep their order.
void reorder(std::vector<ExecutionPlan::Step>& steps, const std::vector<size_t>& positions);

}  // namespace temper
