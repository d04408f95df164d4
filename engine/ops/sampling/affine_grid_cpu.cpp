// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/core/counted.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/sampling/grid_form.h"
#include "engine/ops/sampling/sampling.h"

namespace temper {
namespace {

/// Each place of the output is a matrix times (x, y, [z,] 1). Source: ONNX, AffineGrid.
template <typename T>
std::unique_ptr<Kernel> makeTypedAffineGrid(const PrepareContext& context) {
    const Shape& shape = context.output(0).shape;
    const bool alignsCorners = context.node().attribute<int64_t>("align_corners", 0) != 0;
    const int64_t axes = shape.back();
    std::vector<std::vector<T>> coordinates;
    for (int64_t i = 1; i <= axes; ++i) {
        const auto along = gridCoordinates(shape[static_cast<size_t>(i)], alignsCorners);
        coordinates.emplace_back(along.begin(), along.end());
    }
    const int64_t places = numElements(std::span(shape).subspan(1, static_cast<size_t>(axes)));
    return makeKernel([=](const RunContext& run) {
        run.pool().forRanges(shape[0] * places, kSlowMapGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const T* matrix = run.in<T>(0) + i / places * axes * (axes + 1);
                T* output = run.out<T>(0) + i * axes;
                for (int64_t row = 0; row < axes; ++row)
                    output[row] = matrix[row * (axes + 1) + axes];
                int64_t rest = i % places;
                for (int64_t column = 0; column < axes; ++column) {  // x is the innermost axis
                    const auto& along = coordinates[static_cast<size_t>(axes - 1 - column)];
                    const auto size = static_cast<int64_t>(along.size());
                    const T value = along[static_cast<size_t>(rest % size)];
                    rest /= size;
                    for (int64_t row = 0; row < axes; ++row)
                        output[row] += matrix[row * (axes + 1) + column] * value;
                }
            }
        });
    });
}

std::unique_ptr<Kernel> makeAffineGrid(const PrepareContext& context) {
    const Shape& theta = context.input(0).shape;
    if (theta[0] != context.output(0).shape[0]) {
        context.fail(ErrorCode::InvalidInput,
                     "The node has " + counted(theta[0], "matrix", "matrices") + " for " +
                         counted(context.output(0).shape[0], "grid") + "; expected equal numbers.");
    }
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return makeTypedAffineGrid<T>(context); });
}

}  // namespace

void addAffineGridKernels(KernelRegistry& kernels) {
    kernels.add("", "AffineGrid", makeAffineGrid);
}

}  // namespace temper
