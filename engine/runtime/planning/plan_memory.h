// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/planning/plan_draft.h"

namespace temper {

/// Gives the buffers of a plan their places in the arena: kernels get their scratch memory, outputs
/// are written over inputs that end there, and what is not alive together shares memory.
void layOutMemory(PlanDraft& draft);

}  // namespace temper
