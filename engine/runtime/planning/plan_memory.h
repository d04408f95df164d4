// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/planning/plan_draft.h"

namespace temper {

struct PlanFacts;

/// Gives the buffers of a plan their offsets in the arena: kernels get their scratch memory,
/// outputs overwrite inputs that are no longer needed, and buffers that are not alive together
/// share memory. `facts`: of the plan as it is.
void layOutMemory(PlanDraft& draft, const PlanFacts& facts);

}  // namespace temper
