// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/runtime/passes/plan_pass.h"

namespace temper {

/// The steps that make, read and change each buffer of a plan: the basis for decisions of its
/// passes. Found once before each pass, which receives it with the plan, and once for what follows
/// the passes. By buffer; buffer 0 stands for omitted ones.
struct PlanFacts {
    explicit PlanFacts(const PlanDraft& draft);

    /// The steps that read the buffer, ascending, each as often as it does; none for buffer 0.
    std::span<const size_t> readersOf(uint32_t buffer) const {
        return {readers.data() + readerBegins[buffer], readers.data() + readerBegins[buffer + 1]};
    }
    bool isOutput(uint32_t buffer) const { return allReads[buffer] > reads[buffer]; }

    std::vector<size_t> maker;         ///< the last step that writes it
    std::vector<int> makers;           ///< how many steps do
    std::vector<int> reads;            ///< by steps
    std::vector<int> allReads;         ///< by steps and by the caller, who gets the outputs
    std::vector<size_t> firstUser;     ///< makes or reads it; 0 if it has content before all steps
    std::vector<size_t> lastReader;    ///< the number of steps if the caller reads it
    std::vector<size_t> lastChanger;   ///< of a buffer that isChanged
    std::vector<bool> isChanged;       ///< in place
    std::vector<size_t> readerBegins;  ///< of each buffer and behind the last, in `readers`
    std::vector<size_t> readers;       ///< see readersOf()

private:
    void findUsers(const PlanDraft& draft);
    void findChanges(const std::vector<ExecutionPlan::Step>& steps);
    void findReaders(const std::vector<ExecutionPlan::Step>& steps);
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
