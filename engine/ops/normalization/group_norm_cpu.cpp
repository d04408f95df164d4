// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/counted.h"
#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"

namespace temper {
namespace {

/// Images [batch, groups, channels of a group, size]; InstanceNormalization has one channel per
/// group.
struct GroupLayout {
    int64_t batch = 0;
    int64_t groups = 1;
    int64_t channels = 1;  ///< of a group
    int64_t size = 1;

    static GroupLayout of(const Shape& shape, int64_t groups) {
        GroupLayout layout{shape.at(0), groups, groups == 0 ? 0 : shape.at(1) / groups, 1};
        for (size_t i = 2; i < shape.size(); ++i) layout.size *= shape[i];
        return layout;
    }
    int64_t groupSize() const { return channels * size; }
};

/// `perGroup`: scale and bias have one number per group (opset 18 to 20), not per channel.
template <typename T>
std::unique_ptr<Kernel> groupNormKernel(const GroupLayout& layout, T epsilon, bool perGroup) {
    auto normalize = [=](const RunContext& c, int64_t row) {
        const int64_t group = row % layout.groups;
        const T* x = c.in<T>(0) + row * layout.groupSize();
        T* y = c.out<T>(0) + row * layout.groupSize();
        const auto moments = RowMoments<T>::of(x, layout.groupSize());
        const T inverse = T{1} / std::sqrt(moments.variance + epsilon);
        for (int64_t channel = 0; channel < layout.channels; ++channel) {
            const int64_t at = perGroup ? group : group * layout.channels + channel;
            scaleAndShift(x + channel * layout.size, y + channel * layout.size, layout.size,
                          moments.mean, inverse * c.in<T>(1)[at], c.in<T>(2)[at]);
        }
    };
    return makeKernel([=](const RunContext& c) {
        const int64_t rows = layout.batch * layout.groups;
        c.pool().forRanges(rows, taskGrain(layout.groupSize()), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) normalize(c, row);
        });
    });
}

void requireScaleAndBias(const PrepareContext& context, int64_t count) {
    for (size_t i = 1; i < 3; ++i) {
        context.requireDType(i, context.input(0).dtype);
        if (context.input(i).numElements() == count) continue;
        context.fail(ErrorCode::InvalidInput,
                     "Input " + std::to_string(i) + " has " +
                         counted(context.input(i).numElements(), "element") + "; expected " +
                         std::to_string(count) + ".");
    }
}

std::unique_ptr<Kernel> prepare(const PrepareContext& context, int64_t groups, bool perGroup) {
    const Shape& shape = context.input(0).shape;
    requireScaleAndBias(context, perGroup ? groups : shape.at(1));
    const float epsilon = context.node().attribute<float>("epsilon", 1e-5F);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return groupNormKernel<T>(GroupLayout::of(shape, groups), static_cast<T>(epsilon),
                                  perGroup);
    });
}

std::unique_ptr<Kernel> prepareInstanceNorm(const PrepareContext& context) {
    return prepare(context, context.input(0).shape.at(1), false);
}

std::unique_ptr<Kernel> prepareGroupNorm(const PrepareContext& context) {
    return prepare(context, context.node().attribute<int64_t>("num_groups", 1),
                   context.opset() < 21);
}

// x̂ = (x - mean) r with r = 1 / sqrt(variance + epsilon) and its gradient, over the axes from
// `axis` on. The rules of both normalizations write the gradient as simple operators, which ONNX
// Runtime has, too; plans compute each of the two as one.

/// Arrays as [rows, size], and the position of epsilon.
struct StandardizedRows {
    int64_t rows = 1;
    int64_t size = 1;
    size_t epsilon = 0;

    static StandardizedRows of(const PrepareContext& context, size_t epsilon) {
        const Shape& shape = context.output(0).shape;
        const int64_t axis =
            normalizeAxis(context.node().attribute<int64_t>("axis", -1),
                          static_cast<int64_t>(shape.size()), context.node().describe());
        StandardizedRows rows{1, 1, epsilon};
        for (size_t i = 0; i < shape.size(); ++i)
            (static_cast<int64_t>(i) < axis ? rows.rows : rows.size) *= shape[i];
        for (size_t i = 1; i <= epsilon; ++i) context.requireDType(i, context.input(0).dtype);
        return rows;
    }

    /// `f(begin, moments, r)` for each row.
    template <typename T, typename F>
    void forEach(const RunContext& c, const T* x, F f) const {
        const T added = *c.in<T>(epsilon);
        c.pool().forRanges(rows, taskGrain(size), [&](int64_t begin, int64_t end) {
            for (int64_t at = begin * size; at < end * size; at += size) {
                const auto moments = RowMoments<T>::of(x + at, size);
                f(at, moments, T{1} / std::sqrt(moments.variance + added));
            }
        });
    }
};

std::unique_ptr<Kernel> prepareStandardization(const PrepareContext& context) {
    const auto rows = StandardizedRows::of(context, 1);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [rows](const RunContext& c) {
                const T* x = c.in<T>(0);
                T* y = c.out<T>(0);
                rows.forEach(c, x, [&](int64_t at, const RowMoments<T>& moments, T inverse) {
                    scaleAndShift(x + at, y + at, rows.size, moments.mean, inverse, T{0});
                });
            },
            {.mayShare = {{0, 0}}});
    });
}

/// dx = r (g - mean(g) - x̂ mean(g x̂)), g being the gradient of x̂.
std::unique_ptr<Kernel> prepareStandardizationGrad(const PrepareContext& context) {
    const auto rows = StandardizedRows::of(context, 2);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [rows](const RunContext& c) {
                const T *g = c.in<T>(0), *x = c.in<T>(1);
                T* dx = c.out<T>(0);
                const auto size = static_cast<double>(rows.size);
                rows.forEach(c, x, [&](int64_t at, const RowMoments<T>& moments, T inverse) {
                    const auto totals = gradientTotals(g + at, x + at, rows.size, moments.mean);
                    const double slope = totals.products * static_cast<double>(inverse) / size;
                    normalizeGradient(g + at, x + at, dx + at, rows.size,
                                      NormGradient<T>{moments.mean, inverse,
                                                      static_cast<T>(totals.gradients / size),
                                                      static_cast<T>(slope) * inverse});
                });
            },
            {.mayShare = {{0, 0}, {1, 0}}});
    });
}

/// The first of the axes that a ReduceSum sums over, if it keeps their dimensions and they are the
/// last ones.
std::optional<int64_t> firstOfLastAxes(const Node& node, int64_t rank) {
    if (node.attribute<int64_t>("keepdims", 1) != 1) return std::nullopt;
    auto axes = node.attribute<std::vector<int64_t>>("axes", {});
    if (const Value* given = node.input(1)) {
        if (!given->isInitializer()) return std::nullopt;
        const auto values = given->constant().values<int64_t>();
        axes.assign(values.begin(), values.end());
    }
    for (int64_t& axis : axes) axis = normalizeAxis(axis, rank, node.describe());
    std::ranges::sort(axes);
    const int64_t first = rank - static_cast<int64_t>(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] != first + static_cast<int64_t>(i)) return std::nullopt;
    }
    return axes.empty() ? std::nullopt : std::optional(first);
}

/// Whether what is matched as sums divided by numbers are means over the same last axes.
std::optional<Attributes> attributesOfStandardization(const BlockMatch& match, const Shape& shape) {
    const auto rank = static_cast<int64_t>(shape.size());
    std::optional<int64_t> axis;
    for (const Node* node : match.nodes) {
        if (node->opType() != "ReduceSum") continue;
        const auto first = firstOfLastAxes(*node, rank);
        if (!first || (axis && *axis != *first)) return std::nullopt;
        axis = first;
    }
    if (!axis) return std::nullopt;
    const int64_t count = numElements(Shape(shape.begin() + *axis, shape.end()));
    for (const Node* node : match.nodes) {
        const bool isMean = node->opType() == "Div" && node->input(1)->isInitializer();
        if (isMean && node->input(1)->constant().toDouble() != static_cast<double>(count))
            return std::nullopt;
    }
    return Attributes{{"axis", *axis}};
}

void addStandardizationFormulas(KernelRegistry& kernels) {
    const auto add = [&](const std::string& pattern, const char* op,
                         std::vector<std::string> inputs) {
        kernels.addFormula({.pattern = BlockPattern::parse(pattern),
                            .domain = std::string(kTemperDomain),
                            .opType = op,
                            .inputs = std::move(inputs),
                            .numbers = {"e"},
                            .attributesOf = attributesOfStandardization});
    };
    const std::string centered = "c=Sub(x, Div(ReduceSum(x), #))",
                      inverse = "r=Div(1, Sqrt(Add(Div(ReduceSum(Mul(c, c)), #), e)))";
    add("Mul(" + centered + ", " + inverse + ")", "GroupNorm", {"x"});
    add("Mul(" + inverse + ", Sub(Sub(g, Div(ReduceSum(g), #)), Mul(n=Mul(" + centered +
            ", r), Div(ReduceSum(Mul(g, n)), #))))",
        "GroupNormGrad", {"g", "x"});
}

}  // namespace

void addGroupNormCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "InstanceNormalization", prepareInstanceNorm);
    kernels.add(kOnnxDomain, "GroupNormalization", prepareGroupNorm);
    kernels.add(kTemperDomain, "GroupNorm", prepareStandardization);
    kernels.add(kTemperDomain, "GroupNormGrad", prepareStandardizationGrad);
    addStandardizationFormulas(kernels);
}

}  // namespace temper
