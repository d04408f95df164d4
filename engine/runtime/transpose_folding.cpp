// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/plan_pass.h"
#include "engine/runtime/reorderable_kernel.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;

class TransposeFolding {
public:
    explicit TransposeFolding(PlanDraft& draft)
        : draft_(draft),
          makers_(draft.buffers.size(), nullptr),
          reads_(draft.buffers.size(), 0),
          isFixed_(draft.buffers.size(), false),
          isAccumulated_(draft.buffers.size(), false),
          transposes_(draft.buffers.size()) {}

    void run() {
        for (Step& step : draft_.steps) addUses(step);
        for (const auto& port : draft_.outputs) {
            for (const uint32_t buffer : port.buffers) ++reads_[buffer];
        }
        for (Step& step : draft_.steps) {
            if (asTranspose(step) != nullptr) transposes_[step.inputBuffers[0]].push_back(&step);
        }
        for (Step& step : draft_.steps) fold(step);
        std::erase_if(draft_.steps, [](const Step& step) { return step.kernel == nullptr; });
    }

private:
    static const TransposeKernel* asTranspose(const Step& step) {
        return dynamic_cast<const TransposeKernel*>(step.kernel.get());
    }

    void addUses(Step& step) {
        for (const uint32_t buffer : step.outputBuffers) {
            if (buffer == 0) continue;
            isFixed_[buffer] = isFixed_[buffer] || makers_[buffer] != nullptr;
            makers_[buffer] = &step;
        }
        const bool accumulates = !step.kernel->traits().mutatedInputs.empty();
        for (const uint32_t buffer : step.inputBuffers) {
            ++reads_[buffer];
            if (accumulates) isAccumulated_[buffer] = true;
        }
        for (const size_t input : step.kernel->traits().mutatedInputs) {
            for (uint32_t at = step.inputBegins[input]; at < step.inputBegins[input + 1]; ++at)
                isFixed_[step.inputBuffers[at]] = true;
        }
    }

    /// Takes transpositions of its inputs and of its output into a step.
    void fold(Step& step) {
        const auto* kernel = dynamic_cast<const ReorderableKernel*>(step.kernel.get());
        if (kernel == nullptr) return;
        OperandOrders orders{std::vector<Shape>(kernel->inputShapes().size()), {}};
        std::unique_ptr<Kernel> folded;
        const auto adopt = [&](const OperandOrders& wanted) {
            std::unique_ptr<Kernel> made = kernel->withOrders(wanted);
            if (made == nullptr) return false;
            orders = wanted;
            folded = std::move(made);
            return true;
        };
        for (size_t i = 0; i < kernel->inputShapes().size(); ++i) foldInput(step, i, orders, adopt);
        foldOutput(step, orders, adopt);
        if (folded != nullptr) step.kernel = std::move(folded);
    }

    template <typename Adopt>
    void foldInput(Step& step, size_t input, OperandOrders wanted, const Adopt& adopt) {
        const auto& kernel = static_cast<const ReorderableKernel&>(*step.kernel);
        uint32_t& buffer = step.inputBuffers[step.inputBegins[input]];
        Step* maker = makers_[buffer];
        const TransposeKernel* transpose = maker == nullptr ? nullptr : asTranspose(*maker);
        if (transpose == nullptr || isFixed_[buffer]) return;
        const uint32_t source = maker->inputBuffers[0];
        if (isFixed_[source] || transpose->outputShape() != kernel.inputShapes()[input]) return;
        wanted.inputs[input] = transpose->stridesInInput();
        if (!adopt(wanted)) return;
        --reads_[buffer];
        ++reads_[source];
        buffer = source;
        removeUnread(*maker);
    }

    template <typename Adopt>
    void foldOutput(Step& step, OperandOrders wanted, const Adopt& adopt) {
        const auto& kernel = static_cast<const ReorderableKernel&>(*step.kernel);
        uint32_t& buffer = step.outputBuffers[0];
        if (isFixed_[buffer] || reads_[buffer] != 1) return;
        const auto& readers = transposes_[buffer];
        const auto reader = std::ranges::find_if(
            readers, [](const Step* other) { return other->kernel != nullptr; });
        if (reader == readers.end()) return;
        const TransposeKernel* transpose = asTranspose(**reader);
        const uint32_t target = (*reader)->outputBuffers[0];
        if (isFixed_[target] || transpose->inputShape() != kernel.outputShape()) return;
        wanted.output = transpose->stridesInOutput();
        // A product that is turned as a whole may sum in another order. Where values are made again
        // for the backward pass they have to be the same; gradients of parameters never are.
        if (wanted.output.back() != 1 && !isAccumulated_[target]) return;
        if (!adopt(wanted)) return;
        reads_[buffer] = 0;
        buffer = target;
        makers_[target] = &step;
        (*reader)->kernel = nullptr;
    }

    void removeUnread(Step& transpose) {
        if (reads_[transpose.outputBuffers[0]] > 0) return;
        --reads_[transpose.inputBuffers[0]];
        transpose.kernel = nullptr;
    }

    PlanDraft& draft_;
    std::vector<Step*> makers_;  ///< by buffer
    std::vector<int> reads_;     ///< by steps and by the caller
    /// Buffers that several steps write, or that are changed in place.
    std::vector<bool> isFixed_;
    std::vector<bool> isAccumulated_;             ///< read by steps that change something in place
    std::vector<std::vector<Step*>> transposes_;  ///< by the buffer that they read
};

}  // namespace

void foldTransposes(PlanDraft& draft) { TransposeFolding(draft).run(); }

}  // namespace temper
