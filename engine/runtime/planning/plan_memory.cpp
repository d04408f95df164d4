// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/plan_memory.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/memory_planner.h"

namespace temper {
namespace {

using Buffer = ExecutionPlan::Buffer;
using BufferKind = ExecutionPlan::BufferKind;
using Step = ExecutionPlan::Step;

bool contains(std::span<const uint32_t> buffers, uint32_t buffer) {
    return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
}

class PlanMemory {
public:
    explicit PlanMemory(PlanDraft& draft) : draft_(draft) {}

    void layOut() {
        addScratch();
        findLifetimes();
        shareMemory();
        countActivations();
        layOutArena();
    }

private:
    void addScratch() {
        for (Step& step : draft_.steps) {
            const auto bytes = static_cast<int64_t>(step.kernel->traits().scratchBytes);
            if (bytes == 0) continue;
            step.scratchBuffer = draft_.add({BufferKind::Arena, {DType::UInt8, {bytes}}, 0, {}});
        }
    }

    void findLifetimes() {
        lifetimes_.assign(draft_.buffers.size(), {});
        std::vector<bool> seen(draft_.buffers.size(), false);
        const auto touch = [&](uint32_t buffer, uint32_t step) {
            if (!seen[buffer]) lifetimes_[buffer].first = step;
            seen[buffer] = true;
            lifetimes_[buffer].last = std::max(lifetimes_[buffer].last, step);
        };
        for (const auto& copy : draft_.initialCopies) touch(copy.first, 0);
        for (uint32_t i = 0; i < draft_.steps.size(); ++i) {
            const Step& step = draft_.steps[i];
            for (const uint32_t buffer : step.inputBuffers) touch(buffer, i);
            for (const uint32_t buffer : step.outputBuffers) touch(buffer, i);
            touch(step.scratchBuffer, i);
        }
        const auto end = static_cast<uint32_t>(draft_.steps.size());
        for (const auto& port : draft_.outputs) {
            for (const uint32_t buffer : port.buffers) touch(buffer, end);
        }
        for (size_t i = 0; i < lifetimes_.size(); ++i) {
            const Buffer& buffer = draft_.buffers[i];
            if (buffer.kind == BufferKind::Arena) lifetimes_[i].bytes = buffer.type.byteSize();
        }
    }

    void shareMemory() {
        std::vector<uint32_t> replacement(draft_.buffers.size());
        for (uint32_t i = 0; i < replacement.size(); ++i) replacement[i] = i;
        const auto redirect = [&](std::vector<uint32_t>& buffers) {
            for (uint32_t& buffer : buffers) buffer = replacement[buffer];
        };
        for (uint32_t i = 0; i < draft_.steps.size(); ++i) {
            Step& step = draft_.steps[i];
            redirect(step.inputBuffers);
            for (const auto& [input, output] : step.kernel->traits().mayShare) {
                shareOne(i, step, input, output, replacement);
            }
            redirect(step.inputBuffers);  // fused steps may read what they made
            redirect(step.outputBuffers);
        }
        for (auto& port : draft_.outputs) redirect(port.buffers);
    }

    void shareOne(uint32_t index, const Step& step, size_t input, size_t output,
                  std::vector<uint32_t>& replacement) {
        if (input + 1 >= step.inputBegins.size()) return;
        const uint32_t from = step.inputBuffers[step.inputBegins[input]];
        const uint32_t to = step.outputBuffers[output];
        if (from == 0 || to == 0 || replacement[to] != to) return;
        const bool isFree = draft_.buffers[from].kind == BufferKind::Arena &&
                            draft_.buffers[to].kind == BufferKind::Arena &&
                            lifetimes_[from].last == index && lifetimes_[to].first == index &&
                            lifetimes_[from].bytes == lifetimes_[to].bytes &&
                            draft_.buffers[from].type.dtype == draft_.buffers[to].type.dtype;
        const auto readers = std::count(step.inputBuffers.begin(), step.inputBuffers.end(), from);
        if (!isFree || readers != 1 || contains(step.outputBuffers, from)) return;
        lifetimes_[from].last = lifetimes_[to].last;
        lifetimes_[to].bytes = 0;
        replacement[to] = from;
    }

    void countActivations() {
        const std::vector<Step>& steps = draft_.steps;
        const auto isBackward = [&](uint32_t step) {
            return step < steps.size() && steps[step].phase == kBackwardPhase;
        };
        for (const Lifetime& lifetime : lifetimes_) {
            if (!isBackward(lifetime.first) && isBackward(lifetime.last)) {
                draft_.activationBytes += lifetime.bytes;
            }
        }
    }

    void layOutArena() {
        const MemoryLayout layout = planMemory(lifetimes_);
        for (size_t i = 0; i < draft_.buffers.size(); ++i) {
            draft_.buffers[i].offset = layout.offsets[i];
        }
        draft_.arenaBytes = layout.bytes;
    }

    PlanDraft& draft_;
    std::vector<Lifetime> lifetimes_;  ///< by buffer
};

}  // namespace

void layOutMemory(PlanDraft& draft) { PlanMemory(draft).layOut(); }

}  // namespace temper
