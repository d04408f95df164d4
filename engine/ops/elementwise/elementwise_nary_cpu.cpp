// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/core/wrapping.h"
#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

struct SumOf {
    template <typename T>
    T operator()(T a, T b) const {
        return wrappingAdd(a, b);
    }
};

/// NaN if either is NaN.
struct SmallerOf {
    template <typename T>
    T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(a)) return a;
        }
        return a < b ? a : b;
    }
};

struct LargerOf {
    template <typename T>
    T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(a)) return a;
        }
        return a > b ? a : b;
    }
};

/// Folds any number of broadcast inputs. Works in blocks on the stack: every input's block is read
/// before the output's block is written, so that the output may share memory with any of them.
template <typename T, typename F>
class FoldKernel final : public Kernel {
public:
    FoldKernel(const PrepareContext& context, F f, T factor) : f_(f), factor_(factor) {
        for (size_t k = 0; k < context.inputCount(); ++k) {
            context.requireDType(k, kDTypeOf<T>);
            plans_.emplace_back(context.output(0).shape, std::array{context.input(k).shape});
            if (context.input(k).numElements() == context.output(0).numElements()) {
                traits_.mayShare.emplace_back(k, 0);
            }
        }
    }

    void run(const RunContext& context) const override {
        context.pool().forRanges(plans_.front().count(), kMapGrain,
                                 [&](int64_t begin, int64_t end) {
                                     for (; begin < end; begin += kBlock) {
                                         foldBlock(context, begin, std::min(begin + kBlock, end));
                                     }
                                 });
    }

private:
    static constexpr int64_t kBlock = 512;

    void foldBlock(const RunContext& context, int64_t begin, int64_t end) const {
        T folded[kBlock];
        for (size_t k = 0; k < plans_.size(); ++k) {
            const T* input = context.in<T>(k);
            const bool isNumber = plans_[k].isNumber(0);
            plans_[k].forRuns(begin, end, [&](int64_t first, int64_t length, const auto& at) {
                foldRun(k == 0, input + at[0], isNumber, folded + (first - begin), length);
            });
        }
        T* out = context.out<T>(0);
        for (int64_t i = begin; i < end; ++i) out[i] = scaled(folded[i - begin]);
    }

    void foldRun(bool isFirst, const T* x, bool isNumber, T* folded, int64_t length) const {
        if (isFirst && isNumber) {
            std::fill(folded, folded + length, *x);
        } else if (isFirst) {
            std::copy(x, x + length, folded);
        } else if constexpr (std::is_same_v<T, float> && std::is_same_v<F, SumOf>) {
            simd::add({folded}, {x, isNumber}, folded, length);
        } else {
            mapPairs(folded, false, x, isNumber, folded, length, f_);
        }
    }

    T scaled(T x) const {
        if constexpr (std::is_floating_point_v<T>) return factor_ == T{1} ? x : x * factor_;
        return x;
    }

    F f_;
    T factor_;
    std::vector<BroadcastPlan<1>> plans_;
};

/// Sum of float arrays of one size. A chain of additions from the left, as FoldKernel has.
std::unique_ptr<Kernel> flatSumKernel(const PrepareContext& context) {
    auto form = elementwiseForm(context, context.inputCount(), kMapGrain);
    std::vector<std::pair<size_t, size_t>> mayShare;
    for (size_t k = 0; k < context.inputCount(); ++k) {
        context.requireDType(k, DType::Float32);
        if (k < 2) mayShare.emplace_back(k, 0);
    }
    return makeElementwise(
        std::move(form),
        [inputs = context.inputCount()](const void* const* arrays, void* output, int64_t count) {
            const auto array = [&](size_t k) { return static_cast<const float*>(arrays[k]); };
            auto* out = static_cast<float*>(output);
            simd::add({array(0)}, {array(1)}, out, count);
            for (size_t k = 2; k < inputs; ++k) simd::add({out}, {array(k)}, out, count);
        },
        std::move(mayShare));
}

bool isFlatSum(const PrepareContext& context) {
    if (context.inputCount() < 2 || context.input(0).dtype != DType::Float32) return false;
    const int64_t count = context.output(0).numElements();
    for (size_t k = 0; k < context.inputCount(); ++k) {
        if (context.input(k).numElements() != count) return false;
    }
    return isElementwise(context, context.inputCount());
}

template <typename F>
std::unique_ptr<Kernel> prepareFold(const PrepareContext& context, F f) {
    return visitNumeric(context, context.input(0).dtype,
                        [&]<typename T>() -> std::unique_ptr<Kernel> {
                            return std::make_unique<FoldKernel<T, F>>(context, f, T{1});
                        });
}

std::unique_ptr<Kernel> prepareSum(const PrepareContext& context) {
    if (isFlatSum(context)) return flatSumKernel(context);
    return prepareFold(context, SumOf());
}

std::unique_ptr<Kernel> prepareMean(const PrepareContext& context) {
    return visitFloating(
        context, context.input(0).dtype, [&]<typename T>() -> std::unique_ptr<Kernel> {
            const T factor = T{1} / static_cast<T>(context.inputCount());
            return std::make_unique<FoldKernel<T, SumOf>>(context, SumOf(), factor);
        });
}

}  // namespace

void registerNaryKernels(KernelRegistry& kernels) {
    kernels.add("", "Sum", prepareSum);
    kernels.add("", "Min", [](const PrepareContext& c) { return prepareFold(c, SmallerOf()); });
    kernels.add("", "Max", [](const PrepareContext& c) { return prepareFold(c, LargerOf()); });
    kernels.add("", "Mean", prepareMean);
}

}  // namespace temper
