// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/plan_facts.h"

#include <algorithm>

namespace temper {

PlanFacts::PlanFacts(const PlanDraft& draft)
    : maker(draft.buffers.size(), 0),
      makers(draft.buffers.size(), 0),
      reads(draft.buffers.size(), 0),
      firstUser(draft.buffers.size(), 0),
      lastReader(draft.buffers.size(), 0),
      lastChanger(draft.buffers.size(), 0),
      isChanged(draft.buffers.size(), false),
      readerBegins(draft.buffers.size() + 1, 0) {
    findUsers(draft);
    findChanges(draft.steps);
    findReaders(draft.steps);
}

/// Most operands are omitted ones, which are only counted.
void PlanFacts::findUsers(const PlanDraft& draft) {
    const auto use = [&](uint32_t buffer, size_t step) {
        if (reads[buffer] + makers[buffer] == 0) firstUser[buffer] = step;
    };
    int omittedInputs = 0, omittedOutputs = 0;
    for (size_t i = 0; i < draft.steps.size(); ++i) {
        for (const uint32_t buffer : draft.steps[i].inputBuffers) {
            if (buffer == 0) {
                ++omittedInputs;
                continue;
            }
            use(buffer, i);
            ++reads[buffer];
            lastReader[buffer] = i;
        }
        for (const uint32_t buffer : draft.steps[i].outputBuffers) {
            if (buffer == 0) {
                ++omittedOutputs;
                continue;
            }
            use(buffer, i);
            maker[buffer] = i;
            ++makers[buffer];
        }
    }
    reads[0] = omittedInputs;
    makers[0] = omittedOutputs;
    allReads = reads;
    for (const auto& port : draft.outputs) {
        for (const uint32_t buffer : port.buffers) {
            use(buffer, draft.steps.size());
            ++allReads[buffer];
            lastReader[buffer] = draft.steps.size();
        }
    }
    for (const auto& copy : draft.initialCopies) firstUser[copy.first] = 0;
}

void PlanFacts::findChanges(const std::vector<ExecutionPlan::Step>& steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
        const ExecutionPlan::Step& step = steps[i];
        for (const size_t input : step.kernel->traits().mutatedInputs) {
            for (uint32_t at = step.inputBegins[input]; at < step.inputBegins[input + 1]; ++at) {
                isChanged[step.inputBuffers[at]] = true;
                lastChanger[step.inputBuffers[at]] = i;
            }
        }
    }
}

void PlanFacts::findReaders(const std::vector<ExecutionPlan::Step>& steps) {
    for (size_t buffer = 1; buffer < reads.size(); ++buffer)
        readerBegins[buffer + 1] = readerBegins[buffer] + static_cast<size_t>(reads[buffer]);
    readers.resize(readerBegins.back());
    std::vector<size_t> next = readerBegins;
    for (size_t i = 0; i < steps.size(); ++i) {
        for (const uint32_t buffer : steps[i].inputBuffers) {
            if (buffer != 0) readers[next[buffer]++] = i;
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
