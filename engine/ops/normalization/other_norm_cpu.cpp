// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"

namespace temper {
namespace {

// LRN

/// y = x / (bias + alpha / size * sum of x² over the neighbouring channels)^beta.
struct LrnAttributes {
    int64_t size;
    double alpha;
    double beta;
    double bias;

    static LrnAttributes of(const PrepareContext& context) {
        const Node& node = context.node();
        const auto size = node.attribute<int64_t>("size", 0);
        if (size < 1) {
            context.fail(ErrorCode::InvalidInput, "Attribute 'size' is " + std::to_string(size) +
                                                      "; expected a positive number.");
        }
        return {size, static_cast<double>(node.attribute<float>("alpha", 1e-4F)),
                static_cast<double>(node.attribute<float>("beta", 0.75F)),
                static_cast<double>(node.attribute<float>("bias", 1.0F))};
    }
};

template <typename T>
std::unique_ptr<Kernel> lrnKernel(const Shape& shape, const LrnAttributes& attributes) {
    const int64_t channels = shape.at(1), planes = shape[0] * channels;
    const int64_t size = planes == 0 ? 0 : numElements(shape) / planes;
    const T factor = static_cast<T>(attributes.alpha / static_cast<double>(attributes.size));
    const T beta = static_cast<T>(attributes.beta), bias = static_cast<T>(attributes.bias);
    auto normalize = [=](const T* image, T* y, int64_t channel) {
        const int64_t first = std::max<int64_t>(channel - (attributes.size - 1) / 2, 0);
        const int64_t last = std::min(channel + attributes.size / 2, channels - 1);
        for (int64_t i = 0; i < size; ++i) {
            T squares{};
            for (int64_t k = first; k <= last; ++k)
                squares += image[k * size + i] * image[k * size + i];
            y[channel * size + i] =
                image[channel * size + i] / std::pow(bias + factor * squares, beta);
        }
    };
    return makeKernel([=](const RunContext& c) {
        c.pool().forRanges(planes, taskGrain(size), [&](int64_t begin, int64_t end) {
            for (int64_t plane = begin; plane < end; ++plane) {
                const int64_t image = plane / channels * channels * size;
                normalize(c.in<T>(0) + image, c.out<T>(0) + image, plane % channels);
            }
        });
    });
}

std::unique_ptr<Kernel> prepareLrn(const PrepareContext& context) {
    const auto attributes = LrnAttributes::of(context);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return lrnKernel<T>(context.input(0).shape, attributes);
    });
}

// LpNormalization

/// Elements [outer, count, inner], normalized along the middle.
struct AxisLayout {
    int64_t outer = 1;
    int64_t count = 1;
    int64_t inner = 1;

    static AxisLayout of(const Shape& shape, int64_t axis) {
        AxisLayout layout;
        for (size_t i = 0; i < shape.size(); ++i) {
            const auto position = static_cast<int64_t>(i);
            (position < axis    ? layout.outer
             : position == axis ? layout.count
                                : layout.inner) *= shape[i];
        }
        return layout;
    }
};

/// y = x / |x|; 0 if the norm is 0.
template <typename T>
std::unique_ptr<Kernel> lpNormKernel(const AxisLayout& layout, int64_t p) {
    return makeKernel([=](const RunContext& c) {
        const int64_t lines = layout.outer * layout.inner;
        c.pool().forRanges(lines, taskGrain(layout.count), [&](int64_t begin, int64_t end) {
            for (int64_t line = begin; line < end; ++line) {
                const int64_t first =
                    line / layout.inner * layout.count * layout.inner + line % layout.inner;
                const T* x = c.in<T>(0) + first;
                T* y = c.out<T>(0) + first;
                const double total = sumOver<T>(layout.count, [&](int64_t i) {
                    const T value = x[i * layout.inner];
                    return p == 1 ? std::abs(value) : value * value;
                });
                const T norm = static_cast<T>(p == 1 ? total : std::sqrt(total));
                for (int64_t i = 0; i < layout.count; ++i)
                    y[i * layout.inner] = norm == T{} ? T{} : x[i * layout.inner] / norm;
            }
        });
    });
}

std::unique_ptr<Kernel> prepareLpNorm(const PrepareContext& context) {
    const Node& node = context.node();
    const Shape& shape = context.input(0).shape;
    const auto p = node.attribute<int64_t>("p", 2);
    if (p != 1 && p != 2) {
        context.fail(ErrorCode::Unsupported,
                     "Attribute 'p' is " + std::to_string(p) + "; expected 1 or 2.");
    }
    const int64_t axis = normalizeAxis(node.attribute<int64_t>("axis", -1),
                                       static_cast<int64_t>(shape.size()), node.describe());
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return lpNormKernel<T>(AxisLayout::of(shape, axis), p);
    });
}

// MeanVarianceNormalization

/// For each element the number of the group that it is normalized with.
std::vector<int32_t> groupOfEachElement(const Shape& shape, const std::vector<int64_t>& axes) {
    Shape kept = shape;
    for (const int64_t axis : axes) kept.at(static_cast<size_t>(axis)) = 1;
    const Shape strides = stridesOf(kept);
    std::vector<int32_t> groups = {0};
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        std::vector<int32_t> next;
        next.reserve(groups.size() * static_cast<size_t>(shape[axis]));
        const auto stride = static_cast<int32_t>(kept[axis] == 1 ? 0 : strides[axis]);
        for (const int32_t group : groups) {
            for (int32_t i = 0; i < shape[axis]; ++i) next.push_back(group + i * stride);
        }
        groups = std::move(next);
    }
    return groups;
}

/// y = (x - mean) / (deviation + 1e-9).
template <typename T>
std::unique_ptr<Kernel> meanVarianceKernel(const Shape& shape, const std::vector<int64_t>& axes) {
    const std::vector<int32_t> groups = groupOfEachElement(shape, axes);
    const int32_t count = groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
    const auto bytes = static_cast<size_t>(count) * sizeof(double);
    auto run = [groups, count](const RunContext& c) {
        const T* x = c.in<T>(0);
        T* y = c.out<T>(0);
        auto* mean = reinterpret_cast<double*>(c.scratch());
        double* variance = mean + count;
        std::fill_n(mean, 2 * count, 0.0);
        const double members = static_cast<double>(groups.size()) / count;
        for (size_t i = 0; i < groups.size(); ++i)
            mean[groups[i]] += static_cast<double>(x[i]) / members;
        for (size_t i = 0; i < groups.size(); ++i) {
            const double centered = static_cast<double>(x[i]) - mean[groups[i]];
            variance[groups[i]] += centered * centered / members;
        }
        for (size_t i = 0; i < groups.size(); ++i) {
            const double centered = static_cast<double>(x[i]) - mean[groups[i]];
            y[i] = static_cast<T>(centered / (std::sqrt(variance[groups[i]]) + 1e-9));
        }
    };
    return makeKernel(std::move(run), {.scratchBytes = 2 * bytes});
}

std::unique_ptr<Kernel> prepareMeanVariance(const PrepareContext& context) {
    const Shape& shape = context.input(0).shape;
    auto axes = context.node().attribute<std::vector<int64_t>>("axes", {0, 2, 3});
    for (int64_t& axis : axes)
        axis = normalizeAxis(axis, static_cast<int64_t>(shape.size()), context.node().describe());
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return meanVarianceKernel<T>(shape, axes); });
}

}  // namespace

void addOtherNormCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "LRN", prepareLrn);
    kernels.add(kOnnxDomain, "LpNormalization", prepareLpNorm);
    kernels.add(kOnnxDomain, "MeanVarianceNormalization", prepareMeanVariance);
}

}  // namespace temper
