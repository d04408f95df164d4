// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

/// A comparison of floats, vectorized.
struct FloatComparison {
    simd::Comparison comparison;
};

/// Found by binaryKernel() in place of that for any function.
void mapPairs(const float* a, bool aIsNumber, const float* b, bool bIsNumber, bool* out,
              int64_t count, const FloatComparison& f) {
    simd::compare(f.comparison, {a, aIsNumber}, {b, bIsNumber}, out, count);
}

template <typename F>
std::unique_ptr<Kernel> prepareComparison(const PrepareContext& context,
                                          simd::Comparison comparison, F f) {
    const DType dtype = context.input(0).dtype;
    context.requireDType(1, dtype);
    if (dtype == DType::Float32)
        return binaryKernel<float, float, bool>(context, FloatComparison{comparison});
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
    return prepareComparison(context, simd::Comparison::Equal, equal);
}

template <typename T>
void isWithin(const T* x, T low, T high, bool* y, int64_t count) {
    if constexpr (std::is_same_v<T, float>) return simd::isWithin(x, low, high, y, count);
    for (int64_t i = 0; i < count; ++i) y[i] = !(x[i] < low) && !(x[i] > high);
}

/// Inputs: x, low, high; the latter are numbers.
std::unique_ptr<Kernel> prepareIsWithin(const PrepareContext& context) {
    const DType dtype = context.input(0).dtype;
    for (const size_t i : {1, 2}) context.requireDType(i, dtype);
    return visitNumeric(context, dtype, [&]<typename T>() {
        return makeElementwise(
            elementwiseForm(context, 3, kMapGrain),
            [](const void* const* inputs, void* output, int64_t count) {
                isWithin(static_cast<const T*>(inputs[0]), *static_cast<const T*>(inputs[1]),
                         *static_cast<const T*>(inputs[2]), static_cast<bool*>(output), count);
            },
            {});
    });
}

/// An operand of a loop; a number is the same for all elements.
template <typename T>
struct Choice {
    const T* at;
    int64_t step;

    Choice(const void* array, bool isNumber)
        : at(static_cast<const T*>(array)), step(isNumber ? 0 : 1) {}
    Choice from(int64_t element) const {
        Choice moved = *this;
        moved.at += element;
        return moved;
    }
};

template <typename T>
void choose(const Choice<bool>& condition, const Choice<T>& yes, const Choice<T>& no, T* out,
            int64_t count) {
    if constexpr (sizeof(T) == sizeof(float)) {
        if (condition.step == 1) {
            const auto operand = [](const Choice<T>& choice) {
                return simd::Operand{reinterpret_cast<const float*>(choice.at), choice.step == 0};
            };
            return simd::select(condition.at, operand(yes), operand(no),
                                reinterpret_cast<float*>(out), count);
        }
    }
    if (condition.step == 1 && yes.step == 0) {
        for (int64_t i = 0; i < count; ++i) out[i] = condition.at[i] ? *yes.at : no.at[i * no.step];
    } else if (condition.step == 1 && no.step == 0) {
        for (int64_t i = 0; i < count; ++i) out[i] = condition.at[i] ? yes.at[i] : *no.at;
    } else {
        for (int64_t i = 0; i < count; ++i) {
            out[i] = condition.at[i * condition.step] ? yes.at[i * yes.step] : no.at[i * no.step];
        }
    }
}

/// A type of the same size represents every element type.
template <typename T>
std::unique_ptr<Kernel> prepareWhereOf(const PrepareContext& context) {
    std::vector<std::pair<size_t, size_t>> mayShare = shareable<3>(context);
    const auto loopOf = [](std::array<bool, 3> isNumber) {
        return [=](const void* const* inputs, void* output, int64_t count) {
            choose<T>({inputs[0], isNumber[0]}, {inputs[1], isNumber[1]}, {inputs[2], isNumber[2]},
                      static_cast<T*>(output), count);
        };
    };
    if (isElementwise(context, 3)) {
        auto form = elementwiseForm(context, 3, kMapGrain);
        const auto loop = loopOf(
            {form.operands[0].isNumber, form.operands[1].isNumber, form.operands[2].isNumber});
        return makeElementwise(std::move(form), loop, std::move(mayShare));
    }
    const auto plan = broadcastPlan<3>(context);
    if (auto form = broadcastForm(context, plan, kMapGrain)) {
        const auto loop = loopOf({plan.isNumber(0), plan.isNumber(1), plan.isNumber(2)});
        return makeRowKernel(*std::move(form), loop, std::move(mayShare));
    }
    return makeKernel(
        [=](const RunContext& run) {
            const Choice<bool> condition(run.in<bool>(0), plan.isNumber(0));
            const Choice<T> yes(run.in<T>(1), plan.isNumber(1)), no(run.in<T>(2), plan.isNumber(2));
            T* out = run.out<T>(0);
            run.pool().forRanges(plan.count(), kMapGrain, [&](int64_t begin, int64_t end) {
                plan.forRuns(begin, end, [&](int64_t first, int64_t length, const auto& at) {
                    choose(condition.from(at[0]), yes.from(at[1]), no.from(at[2]), out + first,
                           length);
                });
            });
        },
        {.mayShare = std::move(mayShare)});
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
    const auto add = [&](const char* op, simd::Comparison comparison, auto f) {
        kernels.add("", op, [=](const PrepareContext& context) {
            return prepareComparison(context, comparison, f);
        });
    };
    add("Greater", simd::Comparison::Greater, std::greater<>());
    add("Less", simd::Comparison::Less, std::less<>());
    add("GreaterOrEqual", simd::Comparison::GreaterOrEqual, std::greater_equal<>());
    add("LessOrEqual", simd::Comparison::LessOrEqual, std::less_equal<>());
    kernels.add("", "And",
                [](const PrepareContext& c) { return prepareLogic(c, std::bit_and<>()); });
    kernels.add("", "Or", [](const PrepareContext& c) { return prepareLogic(c, std::bit_or<>()); });
    kernels.add("", "Xor",
                [](const PrepareContext& c) { return prepareLogic(c, std::not_equal_to<>()); });
    kernels.add("", "Where", prepareWhere);
    kernels.add(kTemperDomain, "IsWithin", prepareIsWithin);
    // The mask of Clip's gradient.
    kernels.addFormula({BlockPattern::parse("And(Not(Less(x, low)), Not(Greater(x, high)))"),
                        std::string(kTemperDomain),
                        "IsWithin",
                        {"x"},
                        {"low", "high"}});
}

}  // namespace temper
