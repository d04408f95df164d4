// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/ops/map_cpu.h"
#include "engine/ops/update/update.h"
#include "engine/runtime/kernels/accumulator_kernel.h"

namespace temper {
namespace {

/// The value's layout in the buffer that it is added to.
BroadcastPlan<1> valuePlan(const PrepareContext& context) {
    context.requireDType(0, DType::Float32);
    context.requireDType(1, DType::Float32);
    const Shape& buffer = context.input(0).shape;
    const Shape& value = context.input(1).shape;
    if (broadcastShapes(buffer, value) != buffer) {
        context.fail(ErrorCode::InvalidInput, "The value has the shape " + formatShape(value) +
                                                  "; expected the buffer's, " +
                                                  formatShape(buffer) + ".");
    }
    return BroadcastPlan<1>(buffer, {value});
}

void store(float* to, simd::Operand value, bool overwrites, int64_t count) {
    if (!overwrites) {
        simd::add({to}, value, to, count);
    } else if (value.isNumber) {
        std::fill(to, to + count, *value.data);
    } else {
        std::memcpy(to, value.data, static_cast<size_t>(count) * sizeof(float));
    }
}

/// buffer += value, or buffer = value.
void accumulate(const RunContext& run, const BroadcastPlan<1>& plan, bool overwrites) {
    auto* buffer = run.mutableIn<float>(0);
    const float* value = run.in<float>(1);
    run.pool().forRanges(plan.count(), kMapGrain, [&](int64_t begin, int64_t end) {
        plan.forRuns(begin, end, [&](int64_t first, int64_t length, const auto& at) {
            store(buffer + first, {value + at[0], plan.isNumber(0)}, overwrites, length);
        });
    });
}

/// Inputs: buffer, value, whether to overwrite? Outputs: done, the buffer?
std::unique_ptr<Kernel> prepareAccumulatorV2(const PrepareContext& context) {
    KernelTraits traits;
    traits.mutatedInputs = {0};
    traits.views = {{0, 1}};
    auto kernel = makeKernel(
        [plan = valuePlan(context), hasFlag = context.hasInput(2)](const RunContext& run) {
            accumulate(run, plan, hasFlag && *run.in<bool>(AccumulatorKernel::kOverwrites));
            AccumulatorKernel::tell(run);
        },
        std::move(traits));
    if (context.input(0).shape != context.input(1).shape) return kernel;
    return std::make_unique<AccumulatorKernel>(std::move(kernel));
}

/// Inputs: sum, value, whether to add? Output: the sum.
std::unique_ptr<Kernel> prepareAccumulator(const PrepareContext& context) {
    KernelTraits traits;
    traits.mutatedInputs = {0};
    traits.views = {{0, 0}};
    return makeKernel(
        [plan = valuePlan(context), hasSignal = context.hasInput(2)](const RunContext& run) {
            if (!hasSignal || *run.in<bool>(2)) accumulate(run, plan, false);
        },
        std::move(traits));
}

std::unique_ptr<Kernel> prepareZeroGradient(const PrepareContext& context) {
    KernelTraits traits;
    traits.mutatedInputs = {0};
    traits.views = {{0, 0}};
    return makeKernel(
        [bytes = context.input(0).byteSize()](const RunContext& run) {
            if (bytes > 0) std::memset(run.mutableIn<std::byte>(0), 0, bytes);
        },
        std::move(traits));
}

std::unique_ptr<Kernel> preparePassThrough(const PrepareContext& context) {
    std::vector<size_t> bytes;
    for (size_t i = 0; i < context.inputCount(); ++i) bytes.push_back(context.input(i).byteSize());
    return makeKernel([bytes = std::move(bytes)](const RunContext& run) {
        for (size_t i = 0; i < bytes.size(); ++i) {
            auto* to = run.out<std::byte>(i);
            if (to != nullptr && bytes[i] > 0) std::memcpy(to, run.in<std::byte>(i), bytes[i]);
        }
    });
}

/// True once its inputs are available.
std::unique_ptr<Kernel> prepareGroup(const PrepareContext&) {
    return makeKernel([](const RunContext& run) { *run.out<bool>(0) = true; });
}

}  // namespace

void registerAccumulatorKernels(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "InPlaceAccumulatorV2", prepareAccumulatorV2);
    kernels.add(kMicrosoftDomain, "InPlaceAccumulator", prepareAccumulator);
    kernels.add(kMicrosoftDomain, "ZeroGradient", prepareZeroGradient);
    kernels.add(kMicrosoftDomain, "PassThrough", preparePassThrough);
    kernels.add(kMicrosoftDomain, "Group", prepareGroup);
}

}  // namespace temper
