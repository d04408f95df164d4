// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/runtime/kernels/accumulator_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

/// An accumulator of one of a kernel's outputs, and the positions of its inputs and outputs.
struct Accumulation {
    std::unique_ptr<Kernel> kernel;
    std::vector<uint32_t> inputBegins;
    size_t firstOutput = 0;
};

/// A kernel and the accumulators of its outputs, which agree on whether to overwrite. If so, the
/// kernel writes into their buffers: its outputs are listed again after all others, with the
/// buffers among them.
class AccumulatingKernel final : public Kernel {
public:
    AccumulatingKernel(std::unique_ptr<Kernel> maker, std::vector<uint32_t> makerBegins,
                       std::vector<Accumulation> accumulations, std::vector<size_t> buffers,
                       size_t secondOutputs)
        : maker_(std::move(maker)),
          makerBegins_(std::move(makerBegins)),
          accumulations_(std::move(accumulations)),
          secondOutputs_(secondOutputs) {
        traits_ = maker_->traits();
        traits_.mutatedInputs = std::move(buffers);
    }

    void run(const RunContext& context) const override {
        const RunContext first = contextOf(context, accumulations_.front());
        if (*first.in<bool>(AccumulatorKernel::kOverwrites)) {
            maker_->run(context.inner(makerBegins_.data(), secondOutputs_, nullptr));
            for (const Accumulation& accumulation : accumulations_)
                AccumulatorKernel::tell(contextOf(context, accumulation));
        } else {
            maker_->run(context.inner(makerBegins_.data(), 0, nullptr));
            for (const Accumulation& accumulation : accumulations_)
                accumulation.kernel->run(contextOf(context, accumulation));
        }
    }

private:
    static RunContext contextOf(const RunContext& context, const Accumulation& accumulation) {
        return context.inner(accumulation.inputBegins.data(), accumulation.firstOutput, nullptr);
    }

    std::unique_ptr<Kernel> maker_;
    std::vector<uint32_t> makerBegins_;
    std::vector<Accumulation> accumulations_;
    size_t secondOutputs_;
};

class AccumulatorFusion {
public:
    AccumulatorFusion(PlanDraft& draft, const PlanFacts& facts) : draft_(draft), facts_(facts) {}

    void run() {
        std::vector<std::vector<size_t>> accumulators(draft_.steps.size());
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            if (const auto maker = makerOf(draft_.steps[i])) accumulators[*maker].push_back(i);
        }
        for (size_t i = 0; i < accumulators.size(); ++i) fuse(draft_.steps[i], accumulators[i]);
        std::erase_if(draft_.steps, [](const Step& step) { return step.kernel == nullptr; });
    }

private:
    static uint32_t input(const Step& step, size_t i) {
        return step.inputBuffers[step.inputBegins[i]];
    }

    /// The step that may write into the accumulator's buffer: nothing else reads its value.
    std::optional<size_t> makerOf(const Step& step) const {
        if (capabilitiesOf(step).accumulator == nullptr || !isAccumulator(step, facts_) ||
            givesBuffer(step)) {
            return std::nullopt;
        }
        const uint32_t value = input(step, AccumulatorKernel::kValue),
                       flag = input(step, AccumulatorKernel::kOverwrites);
        if (draft_.buffers[flag].kind != BufferKind::External ||
            draft_.buffers[value].kind != BufferKind::Arena || facts_.allReads[value] != 1 ||
            facts_.isChanged[value]) {
            return std::nullopt;
        }
        const size_t maker = facts_.maker[value];
        const KernelTraits& traits = draft_.steps[maker].kernel->traits();
        if (!traits.views.empty() || !traits.mutatedInputs.empty()) return std::nullopt;
        return maker;
    }

    /// Whether its output 1 is the buffer.
    static bool givesBuffer(const Step& step) {
        return step.outputBuffers.size() > 1 && step.outputBuffers[1] != 0;
    }

    void fuse(Step& maker, std::vector<size_t> accumulators) {
        if (accumulators.empty()) return;
        const auto flagOf = [&](size_t i) {
            return input(draft_.steps[i], AccumulatorKernel::kOverwrites);
        };
        std::erase_if(accumulators, [&, flag = flagOf(accumulators.front())](size_t i) {
            return flagOf(i) != flag;
        });
        std::vector<uint32_t> makerBegins = maker.inputBegins;
        std::vector<uint32_t> second = maker.outputBuffers;
        std::vector<Accumulation> accumulations;
        std::vector<size_t> buffers;
        for (const size_t i : accumulators) {
            Step& step = draft_.steps[i];
            std::ranges::replace(second, input(step, AccumulatorKernel::kValue),
                                 input(step, AccumulatorKernel::kBuffer));
            buffers.push_back(maker.inputBegins.size() - 1);
            const size_t outputs = maker.outputBuffers.size();
            std::vector<uint32_t> begins = appendOperands(maker, step);
            accumulations.push_back({std::move(step.kernel), std::move(begins), outputs});
        }
        const size_t secondOutputs = maker.outputBuffers.size();
        maker.outputBuffers.insert(maker.outputBuffers.end(), second.begin(), second.end());
        maker.kernel = std::make_unique<AccumulatingKernel>(
            std::move(maker.kernel), std::move(makerBegins), std::move(accumulations),
            std::move(buffers), secondOutputs);
    }

    PlanDraft& draft_;
    const PlanFacts& facts_;
};

}  // namespace

void writeIntoAccumulators(PlanDraft& draft, const PlanFacts& facts) {
    AccumulatorFusion(draft, facts).run();
}

}  // namespace temper
