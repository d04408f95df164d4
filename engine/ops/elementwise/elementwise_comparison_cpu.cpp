// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <string_view>

#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

template <typename F>
std::unique_ptr<Kernel> prepareComparison(const PrepareContext& context, F f) {
    const DType dtype = context.input(0).dtype;
    context.requireDType(1, dtype);
    return visitNumeric(context, dtype,
                        [&]<typename T>() { return binaryKernel<T, T, bool>(context, f); });
}

template <typename F>
std::unique_ptr<Kernel> prepareLogic(const PrepareContext& context, F f) {
    context.requireDType(0, DType::Bool);
    context.requireDType(1, DType::Bool);
    return binaryKernel<bool, bool, bool>(context, f);
}

std::unique_ptr<Kernel> prepareEqualTexts(const PrepareContext& context) {
    context.requireDType(1, DType::String);
    return binaryKernel<std::string_view, std::string_view, bool>(context, std::equal_to<>());
}

std::unique_ptr<Kernel> prepareEqual(const PrepareContext& context) {
    const auto equal = [](auto a, auto b) { return a == b; };
    if (context.input(0).dtype == DType::Bool) return prepareLogic(context, equal);
    if (context.input(0).dtype == DType::String) return prepareEqualTexts(context);
    return prepareComparison(context, equal);
}

/// A type of the same size stands for every element type.
template <typename T>
std::unique_ptr<Kernel> prepareWhereOf(const PrepareContext& context) {
    const auto plan = broadcastPlan<3>(context);
    return makeKernel([=](const RunContext& run) {
        const bool* condition = run.in<bool>(0);
        const T* yes = run.in<T>(1);
        const T* no = run.in<T>(2);
        T* out = run.out<T>(0);
        const int64_t step0 = plan.isNumber(0) ? 0 : 1;
        const int64_t step1 = plan.isNumber(1) ? 0 : 1;
        const int64_t step2 = plan.isNumber(2) ? 0 : 1;
        run.pool().forRanges(plan.count(), kMapGrain, [&](int64_t begin, int64_t end) {
            plan.forRuns(begin, end, [&](int64_t first, int64_t length, const auto& at) {
                for (int64_t i = 0; i < length; ++i) {
                    out[first + i] = condition[at[0] + i * step0] ? yes[at[1] + i * step1]
                                                                  : no[at[2] + i * step2];
                }
            });
        });
    });
}

std::unique_ptr<Kernel> prepareWhere(const PrepareContext& context) {
    context.requireDType(0, DType::Bool);
    context.requireDType(2, context.input(1).dtype);
    switch (dtypeSize(context.input(1).dtype)) {
        case 1: return prepareWhereOf<uint8_t>(context);
        case 2: return prepareWhereOf<uint16_t>(context);
        case 4: return prepareWhereOf<uint32_t>(context);
        case 8: return prepareWhereOf<uint64_t>(context);
        default: return prepareWhereOf<std::array<uint64_t, 2>>(context);
    }
}

}  // namespace

void registerComparisonKernels(KernelRegistry& kernels) {
    kernels.add("", "Equal", prepareEqual);
    kernels.add("", "Greater",
                [](const PrepareContext& c) { return prepareComparison(c, std::greater<>()); });
    kernels.add("", "Less",
                [](const PrepareContext& c) { return prepareComparison(c, std::less<>()); });
    kernels.add("", "GreaterOrEqual", [](const PrepareContext& c) {
        return prepareComparison(c, std::greater_equal<>());
    });
    kernels.add("", "LessOrEqual",
                [](const PrepareContext& c) { return prepareComparison(c, std::less_equal<>()); });
    kernels.add("", "And",
                [](const PrepareContext& c) { return prepareLogic(c, std::bit_and<>()); });
    kernels.add("", "Or", [](const PrepareContext& c) { return prepareLogic(c, std::bit_or<>()); });
    kernels.add("", "Xor",
                [](const PrepareContext& c) { return prepareLogic(c, std::not_equal_to<>()); });
    kernels.add("", "Where", prepareWhere);
}

}  // namespace temper
