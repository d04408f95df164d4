// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/runtime/cpu/channel_layout.h"
#include "engine/runtime/kernels/blockable_kernel.h"
#include "engine/runtime/kernels/elementwise_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

/// Sets of buffers that must have the same layout.
class BufferSets {
public:
    explicit BufferSets(size_t buffers) : parent_(buffers) {
        for (size_t i = 0; i < buffers; ++i) parent_[i] = static_cast<uint32_t>(i);
    }
    uint32_t of(uint32_t buffer) const {
        while (parent_[buffer] != buffer) buffer = parent_[buffer];
        return buffer;
    }
    void join(uint32_t a, uint32_t b) { parent_[of(a)] = of(b); }

private:
    std::vector<uint32_t> parent_;
};

/// Chooses the sets of images to block: those whose convolutions save more rearranging than the
/// operators that need plain images cost.
class LayoutChoice {
public:
    LayoutChoice(PlanDraft& draft, const PlanFacts& facts)
        : draft_(draft),
          facts_(facts),
          sets_(draft.buffers.size()),
          isImage_(draft.buffers.size(), false),
          mustBePlain_(draft.buffers.size(), false),
          gain_(draft.buffers.size(), 0) {}

    void run() {
        findImages();
        for (const Step& step : draft_.steps) joinImages(step);
        for (const Step& step : draft_.steps) countGain(step);
        isBlocked_.assign(draft_.buffers.size(), false);
        std::vector<bool> excluded(draft_.buffers.size(), false);
        std::vector<int> gains(draft_.buffers.size(), 0);
        for (uint32_t i = 0; i < isImage_.size(); ++i) {
            gains[sets_.of(i)] += gain_[i];
            if (!isImage_[i] || mustBePlain_[i]) excluded[sets_.of(i)] = true;
        }
        for (uint32_t i = 0; i < isImage_.size(); ++i) {
            isBlocked_[i] = isImage_[i] && !excluded[sets_.of(i)] && gains[sets_.of(i)] > 0;
        }
        apply();
    }

private:
    /// Images that one step makes and that are not visible to the caller.
    void findImages() {
        mustBePlain_ = facts_.isChanged;
        for (const auto& port : draft_.outputs) {
            for (const uint32_t buffer : port.buffers) mustBePlain_[buffer] = true;
        }
        for (size_t i = 1; i < isImage_.size(); ++i) {
            const auto& buffer = draft_.buffers[i];
            isImage_[i] = buffer.kind == BufferKind::Arena && facts_.makers[i] == 1 &&
                          mayBeBlocked(buffer.type.shape) && dtypeSize(buffer.type.dtype) <= 8;
        }
    }

    void joinImages(const Step& step) {
        if (const ElementwiseKernel* kernel = capabilitiesOf(step).elementwise) {
            joinElementwise(step, *kernel);
        } else if (const auto* blockable = asBlockable(step)) {
            keepReshaped(step, *blockable);
            if (blockable->isAllOrNone()) joinAll(imagesOf(step, blockable->blockable()));
        }
    }

    /// All arrays of the output's shape; if another one is read, none of them is blocked.
    void joinElementwise(const Step& step, const ElementwiseKernel& kernel) {
        const uint32_t output = step.outputBuffers[0];
        for (size_t i = 0; i < kernel.form().operands.size(); ++i) {
            const uint32_t input = step.inputBuffers[step.inputBegins[i]];
            if (kernel.form().operands[i].isNumber) {
                mustBePlain_[input] = true;
                continue;
            }
            const bool isAlike =
                isImage_[input] && isImage_[output] &&
                draft_.buffers[input].type.shape == draft_.buffers[output].type.shape;
            if (isAlike) {
                sets_.join(input, output);
            } else {
                mustBePlain_[input] = mustBePlain_[output] = true;
            }
        }
    }

    /// An image that is read in another shape than it is made in stays plain.
    void keepReshaped(const Step& step, const BlockableKernel& kernel) {
        for (size_t i = 0; i < kernel.inputShapes().size(); ++i) {
            const uint32_t buffer = step.inputBuffers[step.inputBegins[i]];
            if (kernel.blockable().hasInput(i) &&
                kernel.inputShapes()[i] != draft_.buffers[buffer].type.shape) {
                mustBePlain_[buffer] = true;
            }
        }
        for (size_t i = 0; i < kernel.outputShapes().size(); ++i) {
            const uint32_t buffer = step.outputBuffers[i];
            if (kernel.blockable().hasOutput(i) &&
                kernel.outputShapes()[i] != draft_.buffers[buffer].type.shape) {
                mustBePlain_[buffer] = true;
            }
        }
    }

    void joinAll(const std::vector<uint32_t>& buffers) {
        for (size_t i = 1; i < buffers.size(); ++i) sets_.join(buffers[i], buffers[0]);
        const bool allImages =
            std::ranges::all_of(buffers, [&](uint32_t b) { return isImage_[b]; });
        for (const uint32_t buffer : buffers) {
            if (!allImages) mustBePlain_[buffer] = true;
        }
    }

    static const BlockableKernel* asBlockable(const Step& step) {
        return capabilitiesOf(step).blockable;
    }

    static std::vector<uint32_t> imagesOf(const Step& step, BlockedOperands operands) {
        std::vector<uint32_t> buffers;
        for (size_t i = 0; i + 1 < step.inputBegins.size(); ++i) {
            if (operands.hasInput(i)) buffers.push_back(step.inputBuffers[step.inputBegins[i]]);
        }
        for (size_t i = 0; i < step.outputBuffers.size(); ++i) {
            if (operands.hasOutput(i)) buffers.push_back(step.outputBuffers[i]);
        }
        std::erase(buffers, 0U);
        return buffers;
    }

    /// An image that a convolution has in blocks saves it a copy; one that another operator needs
    /// plain costs one.
    void countGain(const Step& step) {
        if (capabilitiesOf(step).elementwise != nullptr) return;
        const auto* blockable = asBlockable(step);
        const BlockedOperands operands = blockable ? blockable->blockable() : BlockedOperands{};
        const int saved = blockable != nullptr && !blockable->isAllOrNone() ? 1 : 0;
        for (const uint32_t buffer : imagesOf(step, operands)) gain_[buffer] += saved;
        for (const uint32_t buffer : plainImagesOf(step, operands)) gain_[buffer] -= 1;
    }

    std::vector<uint32_t> plainImagesOf(const Step& step, BlockedOperands blockable) const {
        std::vector<uint32_t> buffers;
        for (size_t i = 0; i + 1 < step.inputBegins.size(); ++i) {
            for (uint32_t at = step.inputBegins[i]; at < step.inputBegins[i + 1]; ++at) {
                if (!blockable.hasInput(i)) buffers.push_back(step.inputBuffers[at]);
            }
        }
        for (size_t i = 0; i < step.outputBuffers.size(); ++i) {
            if (!blockable.hasOutput(i)) buffers.push_back(step.outputBuffers[i]);
        }
        std::erase_if(buffers, [&](uint32_t buffer) { return !isImage_[buffer]; });
        return buffers;
    }

    void apply() {
        std::vector<Step> steps;
        for (Step& step : draft_.steps) {
            if (capabilitiesOf(step).elementwise != nullptr) {
                steps.push_back(std::move(step));
            } else {
                addConverted(std::move(step), steps);
            }
        }
        draft_.steps = std::move(steps);
    }

    /// The step with a kernel for its blocked images, between steps that convert the others.
    void addConverted(Step step, std::vector<Step>& steps) {
        BlockedOperands operands;
        if (const auto* blockable = asBlockable(step)) {
            operands = blockedOf(step, blockable->blockable());
            if (!operands.isEmpty()) step.kernel = blockable->withBlocked(operands);
        }
        for (size_t i = 0; i + 1 < step.inputBegins.size(); ++i) {
            for (uint32_t at = step.inputBegins[i]; at < step.inputBegins[i + 1]; ++at) {
                uint32_t& buffer = step.inputBuffers[at];
                if (isBlockedImage(buffer) && !operands.hasInput(i))
                    buffer = plainCopy(buffer, step, steps);
            }
        }
        std::vector<Step> after;
        for (size_t i = 0; i < step.outputBuffers.size(); ++i) {
            uint32_t& buffer = step.outputBuffers[i];
            if (!isBlockedImage(buffer) || operands.hasOutput(i)) continue;
            const uint32_t plain = newPlainBuffer(buffer);
            after.push_back(conversion(step, plain, buffer, true));
            buffer = plain;
        }
        steps.push_back(std::move(step));
        std::ranges::move(after, std::back_inserter(steps));
    }

    bool isBlockedImage(uint32_t buffer) const {
        return buffer < isBlocked_.size() && isBlocked_[buffer];
    }

    BlockedOperands blockedOf(const Step& step, BlockedOperands blockable) const {
        BlockedOperands blocked;
        for (uint32_t i = 0; i + 1 < step.inputBegins.size(); ++i) {
            if (blockable.hasInput(i) && isBlockedImage(step.inputBuffers[step.inputBegins[i]]))
                blocked.inputs |= 1U << i;
        }
        for (uint32_t i = 0; i < step.outputBuffers.size(); ++i) {
            if (blockable.hasOutput(i) && isBlockedImage(step.outputBuffers[i]))
                blocked.outputs |= 1U << i;
        }
        return blocked;
    }

    uint32_t plainCopy(uint32_t buffer, const Step& reader, std::vector<Step>& steps) {
        const uint32_t plain = newPlainBuffer(buffer);
        steps.push_back(conversion(reader, buffer, plain, false));
        return plain;
    }

    uint32_t newPlainBuffer(uint32_t image) {
        draft_.buffers.push_back({BufferKind::Arena, draft_.buffers[image].type, 0, {}});
        return static_cast<uint32_t>(draft_.buffers.size() - 1);
    }

    Step conversion(const Step& beside, uint32_t from, uint32_t to, bool toBlocked) const {
        Step step;
        step.kernel = channelLayoutKernel(draft_.buffers[from].type, toBlocked);
        step.node = beside.node;
        step.op = "Layout";
        step.phase = beside.phase;
        step.inputBuffers.assign(kMinPositions, 0);
        step.inputBuffers[0] = from;
        for (uint32_t i = 0; i <= kMinPositions; ++i) step.inputBegins.push_back(i);
        step.outputBuffers.assign(kMinPositions, 0);
        step.outputBuffers[0] = to;
        return step;
    }

    PlanDraft& draft_;
    const PlanFacts& facts_;
    BufferSets sets_;
    std::vector<bool> isImage_;
    std::vector<bool> mustBePlain_;
    std::vector<int> gain_;  ///< copies saved if the image is blocked
    std::vector<bool> isBlocked_;
};

}  // namespace

void blockChannels(PlanDraft& draft, const PlanFacts& facts) { LayoutChoice(draft, facts).run(); }

}  // namespace temper
