// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/runtime/buffer_uses.h"
#include "engine/runtime/elementwise_kernel.h"
#include "engine/runtime/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;

/// Moves each step behind the position given for it; steps of one position keep their order.
void reorder(std::vector<Step>& steps, const std::vector<size_t>& positions) {
    std::vector<size_t> order(steps.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](size_t step) { return positions[step]; });
    std::vector<Step> sorted;
    sorted.reserve(steps.size());
    for (const size_t step : order) sorted.push_back(std::move(steps[step]));
    steps = std::move(sorted);
}

/// The step behind which all inputs of `step` are there.
size_t lastMaker(const Step& step, const BufferUses& uses) {
    size_t position = 0;
    for (const uint32_t buffer : step.inputBuffers) {
        if (buffer != 0) position = std::max(position, uses.maker[buffer]);
    }
    return position;
}

/// Moves steps of the backward pass that make masks of arrays which nothing else there reads.
class MaskMover {
public:
    explicit MaskMover(PlanDraft& draft)
        : draft_(draft), uses_(draft), isMask_(draft.steps.size(), false) {}

    void run() {
        findMasks();
        std::vector<size_t> positions(draft_.steps.size());
        for (size_t i = 0; i < positions.size(); ++i)
            positions[i] = isMask_[i] ? readyBehind(draft_.steps[i], positions) : i;
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

    /// Truth values of an array that is at least as large.
    bool makesMask(const Step& step) const {
        if (step.phase != kBackwardPhase ||
            dynamic_cast<const ElementwiseKernel*>(step.kernel.get()) == nullptr) {
            return false;
        }
        const uint32_t mask = step.outputBuffers[0];
        return isBool(mask) && !uses_.isChanged[mask] &&
               std::ranges::none_of(step.inputBuffers,
                                    [&](uint32_t b) { return uses_.isChanged[b]; }) &&
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
    size_t readyBehind(const Step& step, const std::vector<size_t>& positions) const {
        size_t position = 0;
        for (const uint32_t buffer : step.inputBuffers) {
            if (buffer != 0) position = std::max(position, positions[uses_.maker[buffer]]);
        }
        return position;
    }

    PlanDraft& draft_;
    BufferUses uses_;
    std::vector<bool> isMask_;
};

}  // namespace

void moveAccumulators(PlanDraft& draft) {
    const BufferUses uses(draft);
    std::vector<size_t> positions(draft.steps.size());
    for (size_t i = 0; i < positions.size(); ++i) {
        const Step& step = draft.steps[i];
        positions[i] = isAccumulator(step, uses) ? lastMaker(step, uses) : i;
    }
    reorder(draft.steps, positions);
}

void makeMasksEarly(PlanDraft& draft) { MaskMover(draft).run(); }

}  // namespace temper
