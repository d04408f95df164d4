// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "engine/core/wrapping.h"
#include "engine/ops/shape/broadcast_axes.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/shape/strided_copy.h"
#include "engine/ops/visit_types_cpu.h"

namespace temper {
namespace {

std::unique_ptr<Kernel> makeIntegers(std::vector<int64_t> values) {
    return makeKernel([values = std::move(values)](const RunContext& c) {
        std::copy(values.begin(), values.end(), c.out<int64_t>(0));
    });
}

std::unique_ptr<Kernel> makeShape(const PrepareContext& context) {
    const Shape& input = context.input(0).shape;
    const auto rank = static_cast<int64_t>(input.size());
    const int64_t start = context.node().attribute<int64_t>("start", 0);
    const int64_t first = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
    const int64_t count = context.output(0).numElements();
    return makeIntegers({input.begin() + first, input.begin() + first + count});
}

std::unique_ptr<Kernel> makeSize(const PrepareContext& context) {
    return makeIntegers({context.input(0).numElements()});
}

std::unique_ptr<Kernel> makeConstantOfShape(const PrepareContext& context) {
    const Tensor value = context.node().attribute<Tensor>("value", Tensor::of<float>({1}, {0.0F}));
    if (value.numElements() != 1 || value.byteSize() == 0) {
        context.fail(
            ErrorCode::InvalidInput,
            "Attribute 'value' has shape " + formatShape(value.shape()) + "; expected one number.");
    }
    const int64_t count = context.output(0).numElements();
    return makeKernel([=](const RunContext& c) {
        fillElements(c.out<std::byte>(0), count, value.data(), value.byteSize(), c.pool());
    });
}

template <typename T>
std::unique_ptr<Kernel> makeTypedRange(int64_t count) {
    return makeKernel([count](const RunContext& c) {
        const T start = *c.in<T>(0);
        const T delta = *c.in<T>(2);
        for (int64_t i = 0; i < count; ++i) {
            c.out<T>(0)[i] = wrappingAdd(start, wrappingMultiply(static_cast<T>(i), delta));
        }
    });
}

std::unique_ptr<Kernel> makeRange(const PrepareContext& context) {
    const int64_t count = context.output(0).numElements();
    return visitTypes<float, double, int16_t, int32_t, int64_t>(
        context, context.input(0).dtype, "floats or signed integers",
        [&]<typename T>() { return makeTypedRange<T>(count); });
}

template <typename T>
std::unique_ptr<Kernel> makeTypedEye(const Shape& shape, int64_t diagonal) {
    return makeKernel([rows = shape[0], columns = shape[1], diagonal](const RunContext& c) {
        T* out = c.out<T>(0);
        std::fill(out, out + rows * columns, T(0));
        for (int64_t row = std::max<int64_t>(0, -diagonal); row < rows; ++row) {
            if (row + diagonal >= columns) return;
            out[row * columns + row + diagonal] = T(1);
        }
    });
}

std::unique_ptr<Kernel> makeEyeLike(const PrepareContext& context) {
    const Shape& shape = context.output(0).shape;
    const int64_t limit = std::max<int64_t>(shape[0], shape[1]);
    const int64_t diagonal = std::clamp(context.node().attribute<int64_t>("k", 0), -limit, limit);
    return visitDType(context.output(0).dtype,
                      [&]<typename T>() { return makeTypedEye<T>(shape, diagonal); });
}

std::unique_ptr<Kernel> makeBroadcastGradientArgs(const PrepareContext& context) {
    const BroadcastAxes axes = BroadcastAxes::of(context.integers(0), context.integers(1));
    return makeKernel([axes](const RunContext& c) {
        if (auto* out = c.out<int64_t>(0)) std::copy(axes.ofA.begin(), axes.ofA.end(), out);
        if (auto* out = c.out<int64_t>(1)) std::copy(axes.ofB.begin(), axes.ofB.end(), out);
    });
}

}  // namespace

void addShapeDataKernels(KernelRegistry& kernels) {
    kernels.add("", "Shape", makeShape);
    kernels.add("", "Size", makeSize);
    kernels.add("", "ConstantOfShape", makeConstantOfShape);
    kernels.add("", "Range", makeRange);
    kernels.add("", "EyeLike", makeEyeLike);
    kernels.add(kMicrosoftDomain, "BroadcastGradientArgs", makeBroadcastGradientArgs);
}

}  // namespace temper
