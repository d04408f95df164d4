// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/plan_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/runtime/passes/plan_facts.h"
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
    PlanMemory(PlanDraft& draft, const PlanFacts& facts)
        : draft_(draft), facts_(facts), isWhole_(draft.buffers.size(), false) {}

    void layOut() {
        findLifetimes();
        addScratch();
        shareMemory();
        countActivations();
        layOutArena();
    }

private:
    void findLifetimes() {
        for (size_t i = 0; i < draft_.buffers.size(); ++i) {
            const Buffer& buffer = draft_.buffers[i];
            const size_t last = std::max(facts_.lastReader[i], facts_.maker[i]);
            lifetimes_.push_back({buffer.kind == BufferKind::Arena ? buffer.type.byteSize() : 0,
                                  static_cast<uint32_t>(facts_.firstUser[i]),
                                  static_cast<uint32_t>(last)});
        }
        for (uint32_t i = 0; i < draft_.buffers.size(); ++i) {
            if (draft_.buffers[i].kind == BufferKind::Part) keepWholeOf(i);
        }
    }

    /// As long as the part is needed.
    void keepWholeOf(uint32_t part) {
        const uint32_t whole = draft_.buffers[part].whole;
        isWhole_[whole] = true;
        if (facts_.allReads[part] + facts_.makers[part] == 0) return;
        lifetimes_[whole].first = std::min(lifetimes_[whole].first, lifetimes_[part].first);
        lifetimes_[whole].last = std::max(lifetimes_[whole].last, lifetimes_[part].last);
    }

    void addScratch() {
        for (uint32_t i = 0; i < draft_.steps.size(); ++i) {
            Step& step = draft_.steps[i];
            const size_t bytes = step.kernel->traits().scratchBytes;
            if (bytes == 0) continue;
            const Shape shape = {static_cast<int64_t>(bytes)};
            step.scratchBuffer = draft_.add({BufferKind::Arena, {DType::UInt8, shape}, 0, {}});
            lifetimes_.push_back({bytes, i, i});
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
        for (auto& buffer : draft_.buffers) {
            if (buffer.kind == BufferKind::Part) buffer.whole = replacement[buffer.whole];
        }
    }

    void shareOne(uint32_t index, const Step& step, size_t input, size_t output,
                  std::vector<uint32_t>& replacement) {
        if (input + 1 >= step.inputBegins.size()) return;
        const uint32_t from = step.inputBuffers[step.inputBegins[input]];
        const uint32_t to = step.outputBuffers[output];
        if (from == 0 || to == 0 || replacement[to] != to || isWhole_[from]) return;
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
        isWhole_[from] = isWhole_[to];
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
            if (draft_.buffers[i].kind != BufferKind::Part)
                draft_.buffers[i].offset = layout.offsets[i];
        }
        draft_.arenaBytes = layout.bytes;
    }

    PlanDraft& draft_;
    const PlanFacts& facts_;           ///< before scratch memory was added
    std::vector<Lifetime> lifetimes_;  ///< by buffer
    std::vector<bool> isWhole_;        ///< by buffer: others are parts of it
};

}  // namespace

void layOutMemory(PlanDraft& draft, const PlanFacts& facts) { PlanMemory(draft, facts).layOut(); }

}  // namespace temper
