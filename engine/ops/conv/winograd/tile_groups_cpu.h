// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "engine/ops/conv/prepared_weights_cpu.h"
#include "engine/ops/conv/winograd/geometry_cpu.h"

namespace temper {

// Winograd's passes for weights whose points fit in a core's cache.
// Images are in blocks of channels.

/// All tiles, divided into chunks, and these into groups; lane l processes the chunks l, l + lanes,
/// ... Chunks consist of whole images, except in small batches.
struct TileGroups {
    explicit TileGroups(const WinogradGeometry& geometry);

    /// Calls `f(first tile, tiles)` for each group of a chunk.
    template <typename F>
    void forEach(int64_t chunk, const WinogradGeometry& g, F f) const {
        const int64_t begin = chunk * chunkTiles;
        const int64_t end = std::min(begin + chunkTiles, g.tiles());
        for (int64_t tile = begin; tile < end; tile += tiles) f(tile, std::min(tiles, end - tile));
    }

    int64_t images = 0;      ///< of a chunk, at most; 0: chunks are parts of images
    int64_t chunkTiles = 1;  ///< likewise
    int64_t chunks = 1;
    int64_t lanes = 1;
    int64_t tiles = 1;  ///< of a group, likewise
};

class TileGroupDataPass final : public ConvDataPass {
public:
    /// `weightsAreConstant`: the points of the weights of the first run are kept.
    TileGroupDataPass(const ConvGeometry& geometry, Direction direction,
                      bool weightsAreConstant = false);
    void run(ThreadPool& pool, const void* from, const void* weights, const float* bias, float* to,
             std::byte* scratch, const RangeFunction& finished) const override;

private:
    struct Lane {
        PointBuffer from;
        PointBuffer to;
    };
    void runChunk(const Lane& lane, int64_t chunk, const float* from,
                  const simd::PointMatrices& weights, const float* bias, float* to,
                  std::byte* scratch) const;

    simd::PointMatrices weightPoints(ThreadPool& pool, const float* weights,
                                     std::byte* scratch) const;

    WinogradGeometry geometry_;
    TileGroups groups_;
    ScratchLayout pointsLayout_;
    PointBuffer points_;  ///< of the weights, in their memory
    PreparedWeights weights_;
    std::vector<Lane> lanes_;
};

class TileGroupWeightsPass final : public ConvWeightsPass {
public:
    explicit TileGroupWeightsPass(const ConvGeometry& geometry);
    void run(ThreadPool& pool, const void* images, const void* features, float* weights,
             std::byte* scratch) const override;

private:
    struct Lane {
        PointBuffer images;
        PointBuffer features;
        PointBuffer sum;
    };
    void runLane(int64_t lane, const float* images, const float* features,
                 std::byte* scratch) const;
    void sumLanes(int64_t rowBegin, int64_t rowEnd, std::byte* scratch) const;

    WinogradGeometry geometry_;
    TileGroups groups_;
    std::vector<Lane> lanes_;
};

}  // namespace temper
