// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "engine/runtime/plan_pass.h"

namespace temper {

/// By buffer: who writes it and who reads it.
struct BufferUses {
    explicit BufferUses(const PlanDraft& draft);

    std::vector<size_t> maker;
    std::vector<int> touches;     ///< reads
    std::vector<bool> isChanged;  ///< in place
};

/// Whether the step writes into buffers of its own and no other step reads its results.
bool isAccumulator(const ExecutionPlan::Step& step, const BufferUses& uses);

}  // namespace temper
