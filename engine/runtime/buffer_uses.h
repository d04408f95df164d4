// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Of each buffer, the reads by steps and by the caller, who gets the outputs.
std::vector<int> readsOfAll(const PlanDraft& draft, const BufferUses& uses);

/// Puts the inputs and outputs of `step` behind those of `maker`, for a kernel that does both.
/// Returns: where the inputs of `step` begin there.
std::vector<uint32_t> appendOperands(ExecutionPlan::Step& maker, const ExecutionPlan::Step& step);

/// Whether the step writes into buffers of its own and no other step reads its results.
bool isAccumulator(const ExecutionPlan::Step& step, const BufferUses& uses);

}  // namespace temper
