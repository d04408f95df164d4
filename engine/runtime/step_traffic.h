// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/runtime/execution_plan.h"

namespace temper {

/// Bytes that a step of the plan reads and writes: the sizes of the distinct buffers of its inputs,
/// of its outputs, and of the inputs that it changes in place. Views cost nothing.
///
/// Scratch memory does not count. What a kernel reads only in part (rows of a table, a gradient
/// buffer that is overwritten) counts as a whole.
int64_t trafficOf(const ExecutionPlan& plan, const ExecutionPlan::Step& step);

}  // namespace temper
