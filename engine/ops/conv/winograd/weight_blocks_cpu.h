// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/ops/conv/winograd/geometry_cpu.h"

namespace temper {

// Winograd's passes for weights whose points are too many for a core's cache.
// Images are in blocks of channels.

/// The size of the blocks into which the matrix of kernels is cut.
struct WeightBlocks {
    explicit WeightBlocks(const WinogradGeometry& geometry);

    int64_t rows = 0;     ///< of a block, at most
    int64_t columns = 0;  ///< likewise
};

class WeightBlockDataPass final : public ConvDataPass {
public:
    WeightBlockDataPass(const ConvGeometry& geometry, Direction direction);
    void run(ThreadPool& pool, const void* from, const void* weights, const float* bias, float* to,
             std::byte* scratch, const RangeFunction& finished) const override;

private:
    struct Lane {
        PointBuffer weights;
        PointBuffer to;
    };
    void runColumns(const Lane& lane, int64_t column, const float* weights, const float* bias,
                    float* to, std::byte* scratch) const;

    WinogradGeometry geometry_;
    WeightBlocks blocks_;
    PointBuffer from_;
    std::vector<Lane> lanes_;
};

class WeightBlockWeightsPass final : public ConvWeightsPass {
public:
    explicit WeightBlockWeightsPass(const ConvGeometry& geometry);
    void run(ThreadPool& pool, const void* images, const void* features, float* weights,
             std::byte* scratch) const override;

private:
    void runBlock(const PointBuffer& sum, int64_t row, int64_t column, float* weights,
                  std::byte* scratch) const;

    WinogradGeometry geometry_;
    WeightBlocks blocks_;
    PointBuffer images_;
    PointBuffer features_;
    std::vector<PointBuffer> sums_;  ///< one per lane
};

}  // namespace temper
