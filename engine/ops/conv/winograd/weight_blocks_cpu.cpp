// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/winograd/weight_blocks_cpu.h"

#include <algorithm>

namespace temper {
namespace {

using Layout = PointBuffer::Layout;

constexpr int64_t kMaxWeightLanes = 8;
constexpr int64_t kMaxRows = 128;  ///< with a panel of columns, 36 points take 590 kB
constexpr int64_t kTileGrain = 8;

/// The part of `points` that begins with `row`.
simd::PointMatrices fromRow(simd::PointMatrices points, int64_t row) {
    points.data += row * points.rowStride;
    return points;
}

simd::PointMatrices fromColumn(simd::PointMatrices points, int64_t column) {
    points.data = points.at(0, column);
    return points;
}

simd::KernelMatrix withColumns(simd::KernelMatrix kernels, int64_t columns) {
    kernels.columns = columns;
    return kernels;
}

/// The points of all tiles, a row for each.
template <typename ToPoints>
void makePoints(ThreadPool& pool, const WinogradGeometry& g, const simd::PointMatrices& points,
                ToPoints toPoints) {
    pool.forRanges(g.tiles(), kTileGrain, [&](int64_t begin, int64_t end) {
        toPoints(begin, end - begin, fromRow(points, begin));
    });
}

}  // namespace

WeightBlocks::WeightBlocks(const WinogradGeometry& g)
    : rows(std::min(g.from.channels, kMaxRows)), columns(std::min(g.to.channels, kPanelColumns)) {}

// WeightBlockDataPass

WeightBlockDataPass::WeightBlockDataPass(const ConvGeometry& geometry, Direction direction)
    : geometry_(geometry, direction),
      blocks_(geometry_),
      from_(geometry_.tiles(), geometry_.from.channels, Layout::Rows, scratch_) {
    const int64_t lanes =
        std::min(partsOf(geometry_.to.channels, blocks_.columns), kMaxWeightLanes);
    for (int64_t i = 0; i < lanes; ++i) {
        lanes_.push_back({{blocks_.rows, blocks_.columns, Layout::Panels, scratch_},
                          {geometry_.tiles(), blocks_.columns, Layout::Panels, scratch_}});
    }
}

void WeightBlockDataPass::runColumns(const Lane& lane, int64_t column, const float* weights,
                                     const float* bias, float* to, std::byte* scratch) const {
    const WinogradGeometry& g = geometry_;
    const simd::PointMatrices from = from_.in(scratch), block = lane.weights.in(scratch),
                              sum = lane.to.in(scratch);
    const int64_t columns = std::min(blocks_.columns, g.to.channels - column);
    const float* kernels = weights + column * g.kernels.columnStride;
    for (int64_t row = 0; row < g.from.channels; row += blocks_.rows) {
        const int64_t rows = std::min(blocks_.rows, g.from.channels - row);
        simd::weightsToPoints(withColumns(g.kernels, columns), 0, rows,
                              kernels + row * g.kernels.rowStride, block);
        multiplyPoints({g.tiles(), columns, rows, false, row == 0 ? 0.0F : 1.0F},
                       fromColumn(from, row), block, sum);
    }
    simd::pointsToResults(g.to, g.kernel, {0, g.tiles(), column, columns}, sum, bias, to);
}

void WeightBlockDataPass::run(ThreadPool& pool, const void* from, const void* weights,
                              const float* bias, float* to, std::byte* scratch,
                              const RangeFunction& finished) const {
    const WinogradGeometry& g = geometry_;
    makePoints(pool, g, from_.in(scratch),
               [&](int64_t tile, int64_t tiles, const simd::PointMatrices& points) {
                   simd::imagesToPoints(g.from, {tile, tiles, 0, g.from.channels},
                                        static_cast<const float*>(from), points);
               });
    const auto lanes = static_cast<int64_t>(lanes_.size());
    pool.forEach(lanes, [&](int64_t lane) {
        for (int64_t column = lane * blocks_.columns; column < g.to.channels;
             column += lanes * blocks_.columns)
            runColumns(lanes_[static_cast<size_t>(lane)], column,
                       static_cast<const float*>(weights), bias, to, scratch);
    });
    pool.forEach(g.batch, [&](int64_t image) {
        finished(image * g.toElements(), (image + 1) * g.toElements());
    });
}

// WeightBlockWeightsPass

WeightBlockWeightsPass::WeightBlockWeightsPass(const ConvGeometry& geometry)
    : geometry_(geometry, ConvDataPass::Direction::Forward),
      blocks_(geometry_),
      images_(geometry_.tiles(), geometry.channels, Layout::Rows, scratch_),
      features_(geometry_.tiles(), geometry.features, Layout::Panels, scratch_) {
    const int64_t count =
        partsOf(geometry.channels, blocks_.rows) * partsOf(geometry.features, blocks_.columns);
    for (int64_t i = 0; i < std::min(count, kMaxWeightLanes); ++i)
        sums_.emplace_back(blocks_.rows, blocks_.columns, Layout::Panels, scratch_);
}

void WeightBlockWeightsPass::runBlock(const PointBuffer& buffer, int64_t row, int64_t column,
                                      float* weights, std::byte* scratch) const {
    const WinogradGeometry& g = geometry_;
    const simd::PointMatrices sum = buffer.in(scratch);
    const int64_t rows = std::min(blocks_.rows, g.from.channels - row),
                  columns = std::min(blocks_.columns, g.to.channels - column);
    multiplyPoints({rows, columns, g.tiles(), true}, fromColumn(images_.in(scratch), row),
                   fromColumn(features_.in(scratch), column), sum);
    simd::pointsToWeights(withColumns(g.kernels, columns), 0, rows, sum,
                          weights + row * g.kernels.rowStride + column * g.kernels.columnStride);
}

void WeightBlockWeightsPass::run(ThreadPool& pool, const void* images, const void* features,
                                 float* weights, std::byte* scratch) const {
    const WinogradGeometry& g = geometry_;
    makePoints(pool, g, images_.in(scratch),
               [&](int64_t tile, int64_t tiles, const simd::PointMatrices& points) {
                   simd::imagesToPoints(g.from, {tile, tiles, 0, g.from.channels},
                                        static_cast<const float*>(images), points);
               });
    makePoints(pool, g, features_.in(scratch),
               [&](int64_t tile, int64_t tiles, const simd::PointMatrices& points) {
                   simd::resultsToPoints(g.to, g.kernel, {tile, tiles, 0, g.to.channels},
                                         static_cast<const float*>(features), points);
               });
    const int64_t rowBlocks = partsOf(g.from.channels, blocks_.rows);
    const int64_t count = rowBlocks * partsOf(g.to.channels, blocks_.columns);
    const auto lanes = static_cast<int64_t>(sums_.size());
    pool.forEach(lanes, [&](int64_t lane) {
        for (int64_t i = lane; i < count; i += lanes)
            runBlock(sums_[static_cast<size_t>(lane)], i % rowBlocks * blocks_.rows,
                     i / rowBlocks * blocks_.columns, weights, scratch);
    });
}

}  // namespace temper
