// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/plan_facts.h"

#include <algorithm>

namespace temper {

PlanFacts::PlanFacts(const PlanDraft& draft)
    : maker(draft.buffers.size(), 0),
      makers(draft.buffers.size(), 0),
      reads(draft.buffers.size(), 0),
      lastReader(draft.buffers.size(), 0),
      isChanged(draft.buffers.size(), false) {
    for (size_t i = 0; i < draft.steps.size(); ++i) {
        const ExecutionPlan::Step& step = draft.steps[i];
        for (const uint32_t buffer : step.inputBuffers) {
            ++reads[buffer];
            lastReader[buffer] = i;
        }
        for (const uint32_t buffer : step.outputBuffers) {
            maker[buffer] = i;
            ++makers[buffer];
        }
        for (const size_t input : step.kernel->traits().mutatedInputs) {
            for (uint32_t at = step.inputBegins[input]; at < step.inputBegins[input + 1]; ++at)
                isChanged[step.inputBuffers[at]] = true;
        }
    }
    allReads = reads;
    for (const auto& port : draft.outputs) {
        for (const uint32_t buffer : port.buffers) {
            ++allReads[buffer];
            lastReader[buffer] = draft.steps.size();
        }
    }
}

bool isAccumulator(const ExecutionPlan::Step& step, const PlanFacts& facts) {
    const auto& mutated = step.kernel->traits().mutatedInputs;
    for (const size_t input : mutated) {
        for (uint32_t at = step.inputBegins[input]; at < step.inputBegins[input + 1]; ++at) {
            if (facts.reads[step.inputBuffers[at]] > 1) return false;
        }
    }
    const bool isRead = std::ranges::any_of(step.outputBuffers, [&](uint32_t buffer) {
        return buffer != 0 && facts.reads[buffer] > 0;
    });
    return !mutated.empty() && !isRead;
}

std::vector<uint32_t> appendOperands(ExecutionPlan::Step& maker, const ExecutionPlan::Step& step) {
    const auto append = [](std::vector<uint32_t>& all, const std::vector<uint32_t>& more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    std::vector<uint32_t> begins = step.inputBegins;
    for (uint32_t& begin : begins) begin += static_cast<uint32_t>(maker.inputBuffers.size());
    append(maker.inputBuffers, step.inputBuffers);
    maker.inputBegins.pop_back();
    append(maker.inputBegins, begins);
    append(maker.outputBuffers, step.outputBuffers);
    maker.op += "+" + step.op;
    return begins;
}

}  // namespace temper
