// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/planning/plan_draft.h"

namespace temper {

/// Gives the buffers of a plan their offsets in the arena: kernels get their scratch memory,
/// outputs overwrite inputs that are no longer needed, and buffers that are not alive together
/// share memory.
void layOutMemory(PlanDraft& draft);

}  // namespace temper
