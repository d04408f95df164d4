// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/collectives.h"

#include <cstring>

#include "engine/core/error.h"

namespace temper::classic {
namespace {

/// Of sums within a run; gradients, which have this channel too, are exchanged after it.
constexpr int kChannel = 0;

void inferSame(InferenceContext& context) { context.setOutput(0, context.inputType(0)); }

std::unique_ptr<Kernel> prepareCopy(const PrepareContext& /*context*/) {
    return makeKernel([](const RunContext&) {}, {.views = {{0, 0}}});
}

KernelFactory prepareSum(Group& ranks) {
    return [&ranks](const PrepareContext& context) {
        context.requireDType(0, DType::Float32);
        const int64_t count = context.input(0).numElements();
        return makeKernel(
            [&ranks, count](const RunContext& run) {
                auto* sum = run.out<float>(0);
                const auto* own = run.in<float>(0);
                if (sum != own) std::memcpy(sum, own, static_cast<size_t>(count) * sizeof(float));
                const SumTree tree(ranks.size(), ranks.size());
                ranks.beginAllReduce(kChannel, {tree, {sum}, count, sum})->wait();
            },
            // Not to be computed ahead of the run, where the other ranks do not wait for it.
            {.mayShare = {{0, 0}}, .isRandom = true});
    };
}

}  // namespace

void addCollectives(OpSet& ops, Group& ranks) {
    const std::string domain(kMicrosoftDomain);
    ops.catalog.add({domain, kCopyForward, inferSame, 1, 1}, {.movesData = true});
    ops.catalog.add({domain, kSumForward, inferSame, 1, 1});
    ops.gradients.add(domain, kCopyForward, [](const GradientContext& context) -> Gradients {
        return {context.emitter().msOp(kSumForward, {context.outputGradient(0)})};
    });
    ops.gradients.add(domain, kSumForward, [](const GradientContext& context) -> Gradients {
        return {context.outputGradient(0)};
    });
    ops.cpuKernels.add(domain, kCopyForward, prepareCopy);
    ops.cpuKernels.add(domain, kSumForward, prepareSum(ranks));
}

}  // namespace temper::classic
