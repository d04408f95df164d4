// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/runtime/kernels/partwise_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

/// A kernel, and another one that runs on each part of its output 0. The inputs and outputs of the
/// second come after those of the first.
class EpilogueKernel final : public Kernel {
public:
    EpilogueKernel(std::unique_ptr<Kernel> maker, std::vector<uint32_t> makerBegins,
                   size_t makerOutputs, std::unique_ptr<Kernel> epilogue,
                   std::vector<uint32_t> epilogueBegins)
        : maker_(std::move(maker)),
          makerBegins_(std::move(makerBegins)),
          makerOutputs_(makerOutputs),
          epilogue_(std::move(epilogue)),
          partwise_(epilogue_->capabilities().partwise),
          epilogueBegins_(std::move(epilogueBegins)) {
        traits_ = maker_->traits();
        traits_.flops += epilogue_->traits().flops;
    }

    void run(const RunContext& context) const override {
        const RunContext epilogue = context.inner(epilogueBegins_.data(), makerOutputs_, nullptr);
        const auto part = [&](int64_t begin, int64_t end) {
            partwise_->runPart(epilogue, begin, end);
        };
        const RangeFunction finished(part);
        maker_->run(context.inner(makerBegins_.data(), 0, &finished));
    }

private:
    std::unique_ptr<Kernel> maker_;
    std::vector<uint32_t> makerBegins_;
    size_t makerOutputs_;
    std::unique_ptr<Kernel> epilogue_;
    const PartwiseKernel* partwise_;  ///< the epilogue
    std::vector<uint32_t> epilogueBegins_;
};

class EpilogueFusion {
public:
    EpilogueFusion(PlanDraft& draft, const PlanFacts& facts) : draft_(draft), facts_(facts) {}

    void run() {
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            if (const auto reader = epilogueOf(i)) fuse(draft_.steps[i], draft_.steps[*reader]);
        }
        std::erase_if(draft_.steps, [](const Step& step) { return step.kernel == nullptr; });
    }

private:
    /// The first step that may run on parts of the output of step `i`.
    std::optional<size_t> epilogueOf(size_t i) const {
        const Step& maker = draft_.steps[i];
        if (!capabilitiesOf(maker).finishesParts) return std::nullopt;
        const uint32_t made = maker.outputBuffers[0];
        if (made == 0 || draft_.buffers[made].kind != BufferKind::Arena || facts_.isChanged[made])
            return std::nullopt;
        for (const size_t j : facts_.readersOf(made)) {
            const Step& step = draft_.steps[j];
            if (j > i && step.kernel != nullptr && mayFollow(i, step)) return j;
        }
        return std::nullopt;
    }

    /// Whether everything else that `step` reads exists before step `i` runs, and is not changed.
    bool mayFollow(size_t i, const Step& step) const {
        const Step& maker = draft_.steps[i];
        const uint32_t made = maker.outputBuffers[0];
        const KernelTraits& traits = step.kernel->traits();
        const PartwiseKernel* partwise = step.kernel->capabilities().partwise;
        if (step.phase != maker.phase || traits.isRandom || !traits.mutatedInputs.empty() ||
            !traits.views.empty() || traits.scratchBytes > 0 || partwise == nullptr ||
            partwise->elements() != draft_.buffers[made].type.numElements()) {
            return false;
        }
        return std::ranges::all_of(step.inputBuffers, [&](uint32_t buffer) {
            if (buffer == 0 || buffer == made) return true;
            const bool isMade = draft_.buffers[buffer].kind == BufferKind::Arena;
            return !facts_.isChanged[buffer] && (!isMade || facts_.maker[buffer] < i);
        });
    }

    void fuse(Step& maker, Step& step) {
        takeMemory(maker, step);
        std::vector<uint32_t> makerBegins = maker.inputBegins;
        const size_t outputs = maker.outputBuffers.size();
        std::vector<uint32_t> begins = appendOperands(maker, step);
        maker.kernel =
            std::make_unique<EpilogueKernel>(std::move(maker.kernel), std::move(makerBegins),
                                             outputs, std::move(step.kernel), std::move(begins));
        for (const uint32_t buffer : step.outputBuffers)
            facts_.maker[buffer] = static_cast<size_t>(&maker - draft_.steps.data());
    }

    /// If nothing else reads the output of `maker`, it is made in the memory of an output of
    /// `step`.
    void takeMemory(Step& maker, Step& step) const {
        const uint32_t made = maker.outputBuffers[0];
        const auto& inputs = step.inputBuffers;
        if (facts_.allReads[made] != std::ranges::count(inputs, made)) return;
        for (const auto& [input, output] : step.kernel->traits().mayShare) {
            const uint32_t target = step.outputBuffers[output];
            if (inputs[step.inputBegins[input]] != made || !isAlike(made, target)) continue;
            draft_.buffers[made].kind = BufferKind::Null;
            maker.outputBuffers[0] = target;
            std::ranges::replace(step.inputBuffers, made, target);
            return;
        }
    }

    bool isAlike(uint32_t a, uint32_t b) const {
        const auto &first = draft_.buffers[a], &second = draft_.buffers[b];
        return second.kind == BufferKind::Arena && first.type.dtype == second.type.dtype &&
               first.type.byteSize() == second.type.byteSize();
    }

    PlanDraft& draft_;
    /// Steps that have been fused make what both did. Readers are those before the pass: fused
    /// steps precede those left to fuse.
    PlanFacts facts_;
};

}  // namespace

void fuseEpilogues(PlanDraft& draft, const PlanFacts& facts) { EpilogueFusion(draft, facts).run(); }

}  // namespace temper
