// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/passes/step_order.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;

/// Moves steps of the backward pass that make masks of arrays which nothing else there reads.
class MaskMover {
public:
    MaskMover(PlanDraft& draft, const PlanFacts& facts)
        : draft_(draft), facts_(facts), isMask_(draft.steps.size(), false) {}

    void run() {
        findMasks();
        std::vector<size_t> positions(draft_.steps.size());
        for (size_t i = 0; i < positions.size(); ++i)
            positions[i] = isMask_[i] ? readyAfter(draft_.steps[i], positions) : i;
        for (size_t i = 0; i < positions.size(); ++i)
            draft_.steps[i].phase = draft_.steps[positions[i]].phase;
        reorder(draft_.steps, positions);
    }

private:
    void findMasks() {
        const std::vector<Step>& steps = draft_.steps;
        for (size_t i = 0; i < steps.size(); ++i) isMask_[i] = makesMask(steps[i]);
        std::vector<bool> staysAnyway(draft_.buffers.size(), false);
        for (size_t i = 0; i < steps.size(); ++i) {
            if (steps[i].phase != kBackwardPhase || isMask_[i]) continue;
            for (const uint32_t buffer : steps[i].inputBuffers) staysAnyway[buffer] = true;
        }
        for (size_t i = 0; i < steps.size(); ++i) {
            isMask_[i] = isMask_[i] && std::ranges::none_of(steps[i].inputBuffers, [&](uint32_t b) {
                             return isArray(b) && !isBool(b) && staysAnyway[b];
                         });
        }
    }

    /// Whether it makes booleans from an array that is at least as large.
    bool makesMask(const Step& step) const {
        const bool isElementwise = capabilitiesOf(step).elementwise != nullptr;
        if (step.phase != kBackwardPhase || !isElementwise) return false;
        const uint32_t mask = step.outputBuffers[0];
        return isBool(mask) && !facts_.isChanged[mask] &&
               std::ranges::none_of(step.inputBuffers,
                                    [&](uint32_t b) { return facts_.isChanged[b]; }) &&
               std::ranges::any_of(step.inputBuffers, [&](uint32_t b) {
                   return isArray(b) &&
                          draft_.buffers[b].type.byteSize() >= draft_.buffers[mask].type.byteSize();
               });
    }

    bool isBool(uint32_t buffer) const { return draft_.buffers[buffer].type.dtype == DType::Bool; }
    bool isArray(uint32_t buffer) const {
        return draft_.buffers[buffer].kind == ExecutionPlan::BufferKind::Arena;
    }

    /// The new position: that of the step that makes the last input.
    size_t readyAfter(const Step& step, const std::vector<size_t>& positions) const {
        size_t position = 0;
        for (const uint32_t buffer : step.inputBuffers) {
            if (buffer != 0) position = std::max(position, positions[facts_.maker[buffer]]);
        }
        return position;
    }

    PlanDraft& draft_;
    const PlanFacts& facts_;
    std::vector<bool> isMask_;
};

}  // namespace

void makeMasksEarly(PlanDraft& draft, const PlanFacts& facts) { MaskMover(draft, facts).run(); }

}  // namespace temper
