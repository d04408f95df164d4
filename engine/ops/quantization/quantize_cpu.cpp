// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/small_types.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/quantization/quantization.h"

namespace temper {
namespace {

/// Which scale belongs to which element: x is [outer, axis, inner], the scales are one number,
/// [axis], or [outer, axis / block, inner].
struct ScaleLayout {
    int64_t outer = 1;
    int64_t axis = 1;
    int64_t inner = 1;
    int64_t blockSize = 0;  ///< 0: not by block
    bool isOne = true;

    static ScaleLayout of(const PrepareContext& context) {
        const Shape &x = context.input(0).shape, &scale = context.input(1).shape;
        ScaleLayout layout;
        layout.isOne = context.input(1).numElements() == 1 && scale.size() <= 1;
        layout.inner = context.input(0).numElements();
        if (layout.isOne) return layout;
        layout.inner = 1;
        layout.blockSize = context.node().attribute<int64_t>("block_size", 0);
        const auto axis = static_cast<size_t>(normalizeAxis(
            context.node().attribute<int64_t>("axis", 1), static_cast<int64_t>(x.size()),
            "The axis of " + context.node().opType()));
        for (size_t i = 0; i < x.size(); ++i) {
            (i < axis ? layout.outer : i == axis ? layout.axis : layout.inner) *= x[i];
        }
        layout.requireFit(context, x, axis);
        return layout;
    }

    int64_t lines() const { return outer * axis; }
    /// The first scale of line `line` of [outer * axis] lines, and the step between elements.
    int64_t scaleAt(int64_t line) const {
        if (isOne) return 0;
        if (blockSize == 0) return line % axis;
        const int64_t blocks = (axis + blockSize - 1) / blockSize;
        return (line / axis * blocks + line % axis / blockSize) * inner;
    }
    int64_t step() const { return isOne || blockSize == 0 ? 0 : 1; }

private:
    void requireFit(const PrepareContext& context, const Shape& x, size_t at) const {
        Shape expected = {axis};
        if (blockSize > 0) {
            expected = x;
            expected[at] = (axis + blockSize - 1) / blockSize;
        }
        if (context.input(1).shape == expected) return;
        context.fail(ErrorCode::InvalidInput, "The scale has the shape " +
                                                  formatShape(context.input(1).shape) +
                                                  "; expected " + formatShape(expected) + ".");
    }
};

/// Runs f(begin, end, scale, step) over the elements: they read scale, scale + step, ...
template <typename F>
void forLines(const ScaleLayout& layout, const RunContext& run, F&& f) {
    const int64_t total = layout.lines() * layout.inner;
    run.pool().forRanges(total, kMapGrain, [&](int64_t begin, int64_t end) {
        while (begin < end) {
            const int64_t line = begin / layout.inner, within = begin % layout.inner;
            const int64_t stop = std::min(end, (line + 1) * layout.inner);
            f(begin, stop, layout.scaleAt(line) + within * layout.step(), layout.step());
            begin = stop;
        }
    });
}

/// y = saturate(round(x / scale) + zero), halves to even. NaN becomes the zero point.
template <typename X, typename S, typename Q>
std::unique_ptr<Kernel> quantizeKernel(const PrepareContext& context) {
    const ScaleLayout layout = ScaleLayout::of(context);
    return makeKernel([layout, hasZero = context.hasInput(2)](const RunContext& run) {
        const X* x = run.in<X>(0);
        const S* scales = run.in<S>(1);
        const Q* zeros = hasZero ? run.in<Q>(2) : nullptr;
        Q* y = run.out<Q>(0);
        constexpr S kLow = std::numeric_limits<Q>::lowest(), kHigh = std::numeric_limits<Q>::max();
        forLines(layout, run, [&](int64_t begin, int64_t end, int64_t at, int64_t step) {
            for (int64_t i = begin; i < end; ++i, at += step) {
                const S zero = zeros == nullptr ? S{0} : static_cast<S>(zeros[at]);
                const S q = std::nearbyint(static_cast<S>(x[i]) / scales[at]) + zero;
                y[i] = static_cast<Q>(std::isnan(q) ? zero : q < kLow ? kLow : std::min(q, kHigh));
            }
        });
    });
}

/// y = (x - zero) scale
template <typename Q, typename S>
std::unique_ptr<Kernel> dequantizeKernel(const PrepareContext& context) {
    const ScaleLayout layout = ScaleLayout::of(context);
    return makeKernel([layout, hasZero = context.hasInput(2)](const RunContext& run) {
        const Q* x = run.in<Q>(0);
        const S* scales = run.in<S>(1);
        const Q* zeros = hasZero ? run.in<Q>(2) : nullptr;
        S* y = run.out<S>(0);
        forLines(layout, run, [&](int64_t begin, int64_t end, int64_t at, int64_t step) {
            for (int64_t i = begin; i < end; ++i, at += step) {
                const int64_t zero = zeros == nullptr ? 0 : static_cast<int64_t>(zeros[at]);
                y[i] = static_cast<S>(static_cast<int64_t>(x[i]) - zero) * scales[at];
            }
        });
    });
}

/// The code of the nearest integer within the range of a small integer type.
uint8_t nearestInteger(DType dtype, double number) {
    const SmallRange range = smallRange(dtype);
    return codeFromReal(
        dtype, std::clamp(number, static_cast<double>(range.low), static_cast<double>(range.high)));
}

/// The same for types below 16 bits: integers in their range; for the others the number itself.
template <typename X, typename S>
std::unique_ptr<Kernel> smallQuantizeKernel(const PrepareContext& context) {
    const ScaleLayout layout = ScaleLayout::of(context);
    const DType dtype = context.output(0).dtype;
    const SmallRounding rounding{.saturates =
                                     context.node().attribute<int64_t>("saturate", 1) != 0};
    return makeKernel([=, hasZero = context.hasInput(2),
                       numbers = numbersByCode(dtype)](const RunContext& run) {
        const X* x = run.in<X>(0);
        const S* scales = run.in<S>(1);
        const uint8_t* zeros = hasZero ? run.in<uint8_t>(2) : nullptr;
        auto* y = run.out<uint8_t>(0);
        forLines(layout, run, [&](int64_t begin, int64_t end, int64_t at, int64_t step) {
            for (int64_t i = begin; i < end; ++i, at += step) {
                const S zero = zeros == nullptr ? S{0} : static_cast<S>(numbers[zeros[at]]);
                const S q = static_cast<S>(x[i]) / scales[at];
                y[i] = isSmallInteger(dtype)
                           ? nearestInteger(dtype, static_cast<double>(std::nearbyint(q) + zero))
                           : codeFromFloat(dtype, static_cast<float>(q + zero), rounding);
            }
        });
    });
}

template <typename S>
std::unique_ptr<Kernel> smallDequantizeKernel(const PrepareContext& context) {
    const ScaleLayout layout = ScaleLayout::of(context);
    return makeKernel([=, hasZero = context.hasInput(2),
                       numbers = numbersByCode(context.input(0).dtype)](const RunContext& run) {
        const uint8_t* x = run.in<uint8_t>(0);
        const S* scales = run.in<S>(1);
        const uint8_t* zeros = hasZero ? run.in<uint8_t>(2) : nullptr;
        S* y = run.out<S>(0);
        forLines(layout, run, [&](int64_t begin, int64_t end, int64_t at, int64_t step) {
            for (int64_t i = begin; i < end; ++i, at += step) {
                const float zero = zeros == nullptr ? 0.0F : numbers[zeros[at]];
                y[i] = static_cast<S>(numbers[x[i]] - zero) * scales[at];
            }
        });
    });
}

/// Calls f with the C++ type of a quantized number.
template <typename F>
std::unique_ptr<Kernel> visitQuantized(const PrepareContext& context, DType dtype, F&& f) {
    return visitTypes<uint8_t, int8_t, uint16_t, int16_t>(
        context, dtype, "an integer of 8 or 16 bits", std::forward<F>(f));
}

std::unique_ptr<Kernel> prepareQuantize(const PrepareContext& context) {
    const DType output = context.output(0).dtype;
    if (context.hasInput(2)) context.requireDType(2, output);
    const bool isInteger = context.input(0).dtype == DType::Int32;
    if (!isInteger) context.requireDType(1, context.input(0).dtype);
    return visitFloating(context, context.input(1).dtype, [&]<typename S>() {
        if (isSmall(output)) {
            return isInteger ? smallQuantizeKernel<int32_t, S>(context)
                             : smallQuantizeKernel<S, S>(context);
        }
        return visitQuantized(context, output, [&]<typename Q>() {
            return isInteger ? quantizeKernel<int32_t, S, Q>(context)
                             : quantizeKernel<S, S, Q>(context);
        });
    });
}

std::unique_ptr<Kernel> prepareDequantize(const PrepareContext& context) {
    if (context.hasInput(2)) context.requireDType(2, context.input(0).dtype);
    return visitFloating(context, context.input(1).dtype, [&]<typename S>() {
        if (isSmall(context.input(0).dtype)) return smallDequantizeKernel<S>(context);
        if (context.input(0).dtype == DType::Int32) return dequantizeKernel<int32_t, S>(context);
        return visitQuantized(context, context.input(0).dtype,
                              [&]<typename Q>() { return dequantizeKernel<Q, S>(context); });
    });
}

}  // namespace

void addQuantizeKernels(KernelRegistry& kernels) {
    kernels.add("", "QuantizeLinear", prepareQuantize);
    kernels.add("", "DequantizeLinear", prepareDequantize);
}

}  // namespace temper
