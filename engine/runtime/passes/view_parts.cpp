// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/runtime/kernels/part_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/memory_planner.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using Buffer = ExecutionPlan::Buffer;
using BufferKind = ExecutionPlan::BufferKind;

/// Arrays that parts are written into take their memory when the first part is made: that has to be
/// at most so many steps earlier.
constexpr size_t kMaxWait = 16;

/// Turns parts of arrays into views of these, and removes the steps that copy nothing else.
class PartViews {
public:
    PartViews(PlanDraft& draft, const PlanFacts& facts)
        : draft_(draft), facts_(facts), isWhole_(draft.buffers.size(), false) {}

    void run() {
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            const PartKernel* kernel = capabilitiesOf(draft_.steps[i]).parts;
            if (kernel != nullptr && placeAll(i, *kernel)) draft_.steps[i].kernel = nullptr;
        }
        std::erase_if(draft_.steps, [](const Step& step) { return step.kernel == nullptr; });
    }

private:
    bool placeAll(size_t step, const PartKernel& kernel) {
        bool areAllPlaced = true;
        for (const PartKernel::Part& part : kernel.parts())
            areAllPlaced = place(step, kernel, part) && areAllPlaced;
        return areAllPlaced;
    }

    /// Returns: whether nothing is left to copy.
    bool place(size_t index, const PartKernel& kernel, const PartKernel::Part& part) {
        const Step& step = draft_.steps[index];
        const bool isOut = kernel.direction() == PartKernel::Direction::OutOfWhole;
        const uint32_t array = step.inputBuffers[step.inputBegins[isOut ? 0 : part.operand]];
        const uint32_t made = step.outputBuffers[isOut ? part.operand : 0];
        const uint32_t whole = isOut ? array : made, inside = isOut ? made : array;
        if (!mayBeInside(inside, part) || !mayBeWhole(whole) ||
            (!isOut && (!isOnlyInput(step, inside) || !isMadeRightBefore(inside, index)))) {
            return false;
        }
        const Buffer& outer = draft_.buffers[whole];
        const bool isNested = outer.kind == BufferKind::Part;
        Buffer& buffer = draft_.buffers[inside];
        buffer.kind = BufferKind::Part;
        buffer.whole = isNested ? outer.whole : whole;
        buffer.offset = part.begin + (isNested ? outer.offset : 0);
        isWhole_[buffer.whole] = true;
        return true;
    }

    /// Kernels rely on the alignment of arrays.
    bool mayBeInside(uint32_t buffer, const PartKernel::Part& part) const {
        return draft_.buffers[buffer].kind == BufferKind::Arena && isFixed(buffer) &&
               facts_.makers[buffer] == 1 && !facts_.isOutput(buffer) && !isWhole_[buffer] &&
               part.bytes > 0 && part.begin % kBufferAlignment == 0;
    }

    bool mayBeWhole(uint32_t buffer) const {
        return draft_.buffers[buffer].kind != BufferKind::Null && isFixed(buffer) &&
               facts_.makers[buffer] <= 1;
    }

    bool isFixed(uint32_t buffer) const { return buffer != 0 && !facts_.isChanged[buffer]; }

    /// An array has one place.
    static bool isOnlyInput(const Step& step, uint32_t buffer) {
        return std::ranges::count(step.inputBuffers, buffer) == 1;
    }

    bool isMadeRightBefore(uint32_t buffer, size_t step) const {
        return facts_.maker[buffer] + kMaxWait >= step;
    }

    PlanDraft& draft_;
    const PlanFacts& facts_;
    std::vector<bool> isWhole_;  ///< by buffer: others are parts of it
};

}  // namespace

void viewParts(PlanDraft& draft, const PlanFacts& facts) { PartViews(draft, facts).run(); }

}  // namespace temper
