// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/kernels/reorderable_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;

class TransposeFolding {
public:
    TransposeFolding(PlanDraft& draft, const PlanFacts& facts) : draft_(draft), facts_(facts) {}

    void run() {
        for (Step& step : draft_.steps) fold(step);
        std::erase_if(draft_.steps, [](const Step& step) { return step.kernel == nullptr; });
    }

private:
    static const TransposeKernel* asTranspose(const Step& step) {
        return capabilitiesOf(step).transpose;
    }

    /// Whether several steps write the buffer, or one changes it in place.
    bool isFixed(uint32_t buffer) const {
        return facts_.makers[buffer] > 1 || facts_.isChanged[buffer];
    }

    Step* makerOf(uint32_t buffer) {
        const bool isMade = buffer != 0 && facts_.makers[buffer] > 0;
        return isMade ? &draft_.steps[facts_.maker[buffer]] : nullptr;
    }

    /// Merges transpositions of a step's inputs and output into it.
    void fold(Step& step) {
        const ReorderableKernel* kernel = capabilitiesOf(step).reorderable;
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
        for (size_t i = 0; i < kernel->inputShapes().size(); ++i)
            foldInput(step, *kernel, i, orders, adopt);
        foldOutput(step, *kernel, orders, adopt);
        if (folded != nullptr) step.kernel = std::move(folded);
    }

    template <typename Adopt>
    void foldInput(Step& step, const ReorderableKernel& kernel, size_t input, OperandOrders wanted,
                   const Adopt& adopt) {
        uint32_t& buffer = step.inputBuffers[step.inputBegins[input]];
        Step* maker = makerOf(buffer);
        const TransposeKernel* transpose = maker == nullptr ? nullptr : asTranspose(*maker);
        if (transpose == nullptr || isFixed(buffer)) return;
        const uint32_t source = maker->inputBuffers[0];
        if (isFixed(source) || transpose->outputShape() != kernel.inputShapes()[input]) return;
        wanted.inputs[input] = transpose->stridesInInput();
        if (!adopt(wanted)) return;
        --facts_.allReads[buffer];
        ++facts_.allReads[source];
        buffer = source;
        removeUnread(*maker);
    }

    template <typename Adopt>
    void foldOutput(Step& step, const ReorderableKernel& kernel, OperandOrders wanted,
                    const Adopt& adopt) {
        uint32_t& buffer = step.outputBuffers[0];
        if (isFixed(buffer) || facts_.allReads[buffer] != 1) return;
        const auto readers = facts_.readersOf(buffer);
        const auto found = std::ranges::find_if(
            readers, [this](size_t other) { return asTranspose(draft_.steps[other]) != nullptr; });
        if (found == readers.end()) return;
        Step& reader = draft_.steps[*found];
        const TransposeKernel* transpose = asTranspose(reader);
        const uint32_t target = reader.outputBuffers[0];
        if (isFixed(target) || transpose->inputShape() != kernel.outputShape()) return;
        wanted.output = transpose->stridesInOutput();
        // A product that is transposed as a whole may sum in another order. Values that are
        // recomputed for the backward pass have to be the same; gradients of parameters are never
        // recomputed.
        if (wanted.output.back() != 1 && !isAccumulated(target)) return;
        if (!adopt(wanted)) return;
        facts_.allReads[buffer] = 0;
        buffer = target;
        facts_.maker[target] = static_cast<size_t>(&step - draft_.steps.data());
        reader.kernel = nullptr;
    }

    /// Whether a step that changes something in place reads it.
    bool isAccumulated(uint32_t buffer) const {
        return std::ranges::any_of(facts_.readersOf(buffer), [this](size_t reader) {
            const auto& kernel = draft_.steps[reader].kernel;
            return kernel != nullptr && !kernel->traits().mutatedInputs.empty();
        });
    }

    void removeUnread(Step& transpose) {
        if (facts_.allReads[transpose.outputBuffers[0]] > 0) return;
        --facts_.allReads[transpose.inputBuffers[0]];
        transpose.kernel = nullptr;
    }

    PlanDraft& draft_;
    /// Makers and numbers of reads are kept up to date while transpositions are removed; the
    /// readers are those before the pass.
    PlanFacts facts_;
};

}  // namespace

void foldTransposes(PlanDraft& draft, const PlanFacts& facts) {
    TransposeFolding(draft, facts).run();
}

}  // namespace temper
