// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/winograd/tile_groups_cpu.h"

#include <algorithm>

#include "engine/ops/simd_cpu.h"

namespace temper {
namespace {

using Layout = PointBuffer::Layout;

constexpr int64_t kMaxLanes = 8;
constexpr int64_t kGroupBytes = 512 << 10;  ///< points of a group of tiles
constexpr int64_t kMinTiles = 24;           ///< of a group: several rows of registers
constexpr int64_t kMinImages = 4;           ///< that occupy several threads evenly
constexpr int64_t kRowGrain = 8;            ///< rows of the matrix of weights

}  // namespace

TileGroups::TileGroups(const WinogradGeometry& g) {
    const int64_t tileBytes =
        simd::kTilePoints * (g.from.channels + g.to.channels) * int64_t{sizeof(float)};
    const int64_t wanted = std::max(kGroupBytes / tileBytes, kMinTiles);
    if (g.batch >= kMinImages) {
        images = std::clamp<int64_t>(wanted / g.to.perImage(), 1, partsOf(g.batch, 2));
        chunkTiles = images * g.to.perImage();
    } else {
        chunkTiles = std::max(partsOf(g.tiles(), kMaxLanes), std::min(g.tiles(), kMinTiles));
    }
    chunks = partsOf(g.tiles(), chunkTiles);
    lanes = std::min(chunks, kMaxLanes);
    tiles = partsOf(chunkTiles, partsOf(chunkTiles, wanted));
}

// TileGroupDataPass

TileGroupDataPass::TileGroupDataPass(const ConvGeometry& geometry, Direction direction,
                                     bool weightsAreConstant)
    : geometry_(geometry, direction),
      groups_(geometry_),
      points_(geometry_.from.channels, geometry_.to.channels, Layout::Panels, pointsLayout_),
      weights_(static_cast<int64_t>(pointsLayout_.bytes() / sizeof(float)), weightsAreConstant,
               scratch_) {
    for (int64_t i = 0; i < groups_.lanes; ++i) {
        lanes_.push_back({{groups_.tiles, geometry_.from.channels, Layout::Rows, scratch_},
                          {groups_.tiles, geometry_.to.channels, Layout::Rows, scratch_}});
    }
}

void TileGroupDataPass::runChunk(const Lane& lane, int64_t chunk, const float* from,
                                 const simd::PointMatrices& weights, const float* bias, float* to,
                                 std::byte* scratch) const {
    const WinogradGeometry& g = geometry_;
    const simd::PointMatrices fromPoints = lane.from.in(scratch), toPoints = lane.to.in(scratch);
    groups_.forEach(chunk, g, [&](int64_t tile, int64_t tiles) {
        simd::imagesToPoints(g.from, {tile, tiles, 0, g.from.channels}, from, fromPoints);
        multiplyPoints({tiles, g.to.channels, g.from.channels}, fromPoints, weights, toPoints);
        simd::pointsToResults(g.to, g.kernel, {tile, tiles, 0, g.to.channels}, toPoints, bias, to);
    });
}

simd::PointMatrices TileGroupDataPass::weightPoints(ThreadPool& pool, const float* weights,
                                                    std::byte* scratch) const {
    const auto pointsAt = [&](float* memory) {
        return points_.in(reinterpret_cast<std::byte*>(memory));
    };
    return pointsAt(weights_.get(scratch, [&](float* memory) {
        pool.forRanges(geometry_.from.channels, kRowGrain, [&](int64_t begin, int64_t end) {
            simd::weightsToPoints(geometry_.kernels, begin, end, weights, pointsAt(memory));
        });
    }));
}

void TileGroupDataPass::run(ThreadPool& pool, const void* from, const void* weights,
                            const float* bias, float* to, std::byte* scratch,
                            const RangeFunction& finished) const {
    const simd::PointMatrices points =
        weightPoints(pool, static_cast<const float*>(weights), scratch);
    const int64_t image = geometry_.toElements();
    const auto tell = [&](int64_t first, int64_t images) {
        finished(first * image, std::min(first + images, geometry_.batch) * image);
    };
    pool.forEach(groups_.lanes, [&](int64_t lane) {
        for (int64_t chunk = lane; chunk < groups_.chunks; chunk += groups_.lanes) {
            runChunk(lanes_[static_cast<size_t>(lane)], chunk, static_cast<const float*>(from),
                     points, bias, to, scratch);
            if (groups_.images > 0) tell(chunk * groups_.images, groups_.images);
        }
    });
    if (groups_.images == 0) pool.forEach(geometry_.batch, [&](int64_t i) { tell(i, 1); });
}

// TileGroupWeightsPass

TileGroupWeightsPass::TileGroupWeightsPass(const ConvGeometry& geometry)
    : geometry_(geometry, ConvDataPass::Direction::Forward), groups_(geometry_) {
    for (int64_t i = 0; i < groups_.lanes; ++i) {
        lanes_.push_back({{groups_.tiles, geometry.channels, Layout::Rows, scratch_},
                          {groups_.tiles, geometry.features, Layout::Panels, scratch_},
                          {geometry.channels, geometry.features, Layout::Rows, scratch_}});
    }
}

void TileGroupWeightsPass::runLane(int64_t index, const float* images, const float* features,
                                   std::byte* scratch) const {
    const WinogradGeometry& g = geometry_;
    const Lane& lane = lanes_[static_cast<size_t>(index)];
    const simd::PointMatrices imagePoints = lane.images.in(scratch),
                              featurePoints = lane.features.in(scratch), sum = lane.sum.in(scratch);
    float beta = 0.0F;
    for (int64_t chunk = index; chunk < groups_.chunks; chunk += groups_.lanes) {
        groups_.forEach(chunk, g, [&](int64_t tile, int64_t tiles) {
            simd::imagesToPoints(g.from, {tile, tiles, 0, g.from.channels}, images, imagePoints);
            simd::resultsToPoints(g.to, g.kernel, {tile, tiles, 0, g.to.channels}, features,
                                  featurePoints);
            multiplyPoints({g.from.channels, g.to.channels, tiles, true, beta}, imagePoints,
                           featurePoints, sum);
            beta = 1.0F;
        });
    }
}

void TileGroupWeightsPass::sumLanes(int64_t rowBegin, int64_t rowEnd, std::byte* scratch) const {
    const simd::PointMatrices total = lanes_.front().sum.in(scratch);
    const int64_t count = (rowEnd - rowBegin) * total.rowStride;
    for (size_t i = 1; i < lanes_.size(); ++i) {
        const simd::PointMatrices part = lanes_[i].sum.in(scratch);
        for (int64_t point = 0; point < simd::kTilePoints; ++point) {
            const int64_t at = point * total.stride + rowBegin * total.rowStride;
            simd::add({total.data + at}, {part.data + at}, total.data + at, count);
        }
    }
}

void TileGroupWeightsPass::run(ThreadPool& pool, const void* images, const void* features,
                               float* weights, std::byte* scratch) const {
    pool.forEach(groups_.lanes, [&](int64_t lane) {
        runLane(lane, static_cast<const float*>(images), static_cast<const float*>(features),
                scratch);
    });
    const simd::PointMatrices total = lanes_.front().sum.in(scratch);
    pool.forRanges(geometry_.from.channels, kRowGrain, [&](int64_t begin, int64_t end) {
        sumLanes(begin, end, scratch);
        simd::pointsToWeights(geometry_.kernels, begin, end, total, weights);
    });
}

}  // namespace temper
