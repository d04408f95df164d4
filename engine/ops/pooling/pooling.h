// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/ops/window.h"

namespace temper {

/// MaxPool, AveragePool, LpPool, their Global forms, MaxPoolGrad and AveragePoolGrad.
void registerPooling(OpSet& ops);

void addPoolingTypes(OpCatalog& catalog);
void addPoolingGradients(GradientRules& gradients);
void addPoolingCpuKernels(KernelRegistry& kernels);

/// Attributes of the pools.
struct PoolAttributes {
    WindowAttributes window;
    bool countIncludePad = false;  ///< AveragePool: padding counts in the divisor
    bool columnMajor = false;      ///< MaxPool: how Indices count inside an image
    int64_t p = 2;                 ///< LpPool

    static PoolAttributes of(const Node& node);
};

/// Windows over the last three dimensions of images; missing ones have size 1.
struct PoolGeometry {
    int64_t planes = 0;  ///< batch * channels
    std::array<WindowAxis, 3> axes;

    int64_t inputSize() const { return axes[0].input * axes[1].input * axes[2].input; }
    int64_t outputSize() const { return axes[0].output * axes[1].output * axes[2].output; }

    /// `image` is the shape of the larger side: the input of a pool, the output of its gradient.
    static PoolGeometry of(const WindowAttributes& window, const Shape& image);
};

/// The numbers by which AveragePool divides, for each output of one image.
std::vector<int64_t> averageDivisors(const PoolGeometry& geometry, bool countIncludePad);

}  // namespace temper
