// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/runtime/passes/plan_pass.h"

namespace temper {

/// The steps that make, read and change each buffer of a plan: the basis for decisions of its
/// passes. Found once before each pass, which receives it with the plan. By buffer; buffer 0 stands
/// for omitted ones.
struct PlanFacts {
    explicit PlanFacts(const PlanDraft& draft);

    std::vector<size_t> maker;       ///< the last step that writes it
    std::vector<int> makers;         ///< how many steps do
    std::vector<int> reads;          ///< by steps
    std::vector<int> allReads;       ///< by steps and by the caller, who gets the outputs
    std::vector<size_t> lastReader;  ///< the number of steps if the caller reads it
    std::vector<bool> isChanged;     ///< in place
};

/// Nothing if another step has taken the step's kernel.
inline KernelCapabilities capabilitiesOf(const ExecutionPlan::Step& step) {
    return step.kernel == nullptr ? KernelCapabilities{} : step.kernel->capabilities();
}

/// Appends the inputs and outputs of `step` to those of `maker`, for a kernel that does both.
/// Returns: where the inputs of `step` begin there.
std::vector<uint32_t> appendOperands(ExecutionPlan::Step& maker, const ExecutionPlan::Step& step);

/// Whether the step writes into its own buffers and no other step reads its results.
bool isAccumulator(const ExecutionPlan::Step& step, const PlanFacts& facts);

}  // namespace temper
