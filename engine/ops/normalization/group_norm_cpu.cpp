// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

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

}  // namespace

void addGroupNormCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "InstanceNormalization", prepareInstanceNorm);
    kernels.add(kOnnxDomain, "GroupNormalization", prepareGroupNorm);
}

}  // namespace temper
