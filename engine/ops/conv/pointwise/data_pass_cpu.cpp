// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "engine/ops/conv/pointwise/passes_cpu.h"
#include "engine/ops/conv/pointwise/pixel_tiles_cpu.h"
#include "engine/ops/conv/pointwise/products_cpu.h"
#include "engine/ops/conv/prepared_weights_cpu.h"
#include "engine/runtime/cpu/transposition.h"

namespace temper {
namespace {

constexpr int64_t kBlocksAtOnce = 2;         ///< they share the loads of pixels
constexpr int64_t kGroupFloats = 128 << 10;  ///< of weights, which stay in a core's cache
constexpr int64_t kMinDataTasks = 8;
constexpr int64_t kMaxDataLanes = 16;

/// From images with `from.channels` to ones with `to.channels`. The blocks of channels of the
/// results are divided into groups; a task is a group of a tile.
class PointwiseDataPass final : public ConvDataPass {
public:
    PointwiseDataPass(const ConvGeometry& g, Direction direction, const ConvForm& form)
        : tiles_(g, g.channels + g.features),
          isForward_(direction == Direction::Forward),
          from_(isForward_ ? imagesOf(g, form) : featuresOf(g, form)),
          to_(isForward_ ? featuresOf(g, form) : imagesOf(g, form)),
          weights_(weightFloats(), form.weightsAreConstant, scratch_) {
        const int64_t wanted = std::max(weightFloats() / kGroupFloats,
                                        (kMinDataTasks + tiles_.count() - 1) / tiles_.count());
        groups_ = std::clamp<int64_t>(wanted, 1, (to_.blocks() + 1) / kBlocksAtOnce);
        bias_ = scratch_.add(static_cast<size_t>(to_.blocks() * kChannelBlock) * sizeof(float));
        const int64_t lanes = std::min(tiles_.count() * groups_, kMaxDataLanes);
        for (int64_t i = 0; i < lanes; ++i) {
            lanes_.push_back({{from_, from_.blocks(), tiles_.mostPixels(), scratch_},
                              {to_, kBlocksAtOnce, tiles_.mostPixels(), scratch_}});
        }
    }

    void run(ThreadPool& pool, const void* from, const void* weights, const float* bias, float* to,
             std::byte* scratch, const RangeFunction& finished) const override {
        Run run{.from = static_cast<const float*>(from),
                .to = to,
                .scratch = scratch,
                .finished = finished};
        run.weights = weights_.get(scratch, [&](float* packed) {
            pack(pool, static_cast<const float*>(weights), packed);
        });
        run.bias = paddedBias(bias, scratch);
        const auto lanes = static_cast<int64_t>(lanes_.size());
        const int64_t tasks = tiles_.count() * groups_;
        pool.forEach(lanes, [&](int64_t lane) {
            for (int64_t task = tasks * lane / lanes; task < tasks * (lane + 1) / lanes; ++task)
                runTask(run, lanes_[static_cast<size_t>(lane)], task % tiles_.count(),
                        task / tiles_.count());
        });
    }

private:
    struct Lane {
        PixelBuffer from;
        PixelBuffer to;
    };
    struct Run {
        const float* from;
        const float* weights = nullptr;
        const float* bias = nullptr;
        float* to;
        std::byte* scratch;
        const RangeFunction& finished;
    };

    PixelImages imagesOf(const ConvGeometry& g, const ConvForm& form) const {
        return {g.channels, tiles_.pixels, form.imagesBlocked};
    }
    PixelImages featuresOf(const ConvGeometry& g, const ConvForm& form) const {
        return {g.features, tiles_.pixels, form.featuresBlocked};
    }
    int64_t weightFloats() const { return to_.blocks() * kChannelBlock * from_.channels; }

    /// The weights as [blocks, from.channels, kChannelBlock], zeros after the last channel.
    void pack(ThreadPool& pool, const float* weights, float* packed) const {
        const int64_t inner = from_.channels;
        pool.forRanges(to_.blocks(), 1 + (1 << 14) / inner, [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block) {
                const int64_t first = block * kChannelBlock;
                const int64_t channels = std::min(kChannelBlock, to_.channels - first);
                float* panel = packed + first * inner;
                if (channels < kChannelBlock) std::fill_n(panel, inner * kChannelBlock, 0.0F);
                if (isForward_) {
                    transposeMatrix(weights + first * inner, inner, channels, inner, panel,
                                    kChannelBlock);
                    continue;
                }
                for (int64_t k = 0; k < inner; ++k)
                    std::copy_n(weights + k * to_.channels + first, channels,
                                panel + k * kChannelBlock);
            }
        });
    }

    const float* paddedBias(const float* bias, std::byte* scratch) const {
        auto* padded = reinterpret_cast<float*>(scratch + bias_);
        std::fill_n(padded, to_.blocks() * kChannelBlock, 0.0F);
        if (bias != nullptr) std::copy_n(bias, to_.channels, padded);
        return padded;
    }

    void runTask(const Run& run, const Lane& lane, int64_t tile, int64_t group) const {
        const PixelRange range = tiles_.tile(tile);
        const PixelBlocks<const float> x =
            readTile(from_, run.from, range, lane.from.in(run.scratch));
        const int64_t end = to_.blocks() * (group + 1) / groups_;
        for (int64_t block = to_.blocks() * group / groups_; block < end; block += kBlocksAtOnce)
            runBlocks(run, lane, range, x, block, std::min(kBlocksAtOnce, end - block));
    }

    void runBlocks(const Run& run, const Lane& lane, const PixelRange& range,
                   const PixelBlocks<const float>& x, int64_t first, int64_t count) const {
        const int64_t plane = to_.pixels * kChannelBlock;
        const int64_t at =
            (range.image * to_.blocks() + first) * plane + range.begin * kChannelBlock;
        const PixelBlocks<float> y =
            to_.isBlocked ? PixelBlocks<float>{run.to + at, plane} : lane.to.in(run.scratch);
        simd::multiplyPixels({.pixels = range.count(),
                              .channels = from_.channels,
                              .results = std::min((first + count) * kChannelBlock, to_.channels) -
                                         first * kChannelBlock,
                              .x = x.data,
                              .blockStrideX = x.blockStride,
                              .weights = run.weights + first * kChannelBlock * from_.channels,
                              .bias = run.bias + first * kChannelBlock,
                              .y = y.data,
                              .blockStrideY = y.blockStride});
        for (int64_t i = 0; i < count; ++i) {
            if (to_.isBlocked) {
                run.finished(at + i * plane, at + i * plane + range.count() * kChannelBlock);
            } else {
                writeBlock(to_, range, first + i, y.block(i), run.to);
                finishPlain(run, range, first + i);
            }
        }
    }

    void finishPlain(const Run& run, const PixelRange& range, int64_t block) const {
        const int64_t end = std::min((block + 1) * kChannelBlock, to_.channels);
        for (int64_t channel = block * kChannelBlock; channel < end; ++channel) {
            const int64_t plane = (range.image * to_.channels + channel) * to_.pixels;
            run.finished(plane + range.begin, plane + range.end);
        }
    }

    PixelTiles tiles_;
    bool isForward_;
    PixelImages from_;
    PixelImages to_;
    PreparedWeights weights_;
    int64_t groups_ = 1;
    size_t bias_ = 0;
    std::vector<Lane> lanes_;
};

}  // namespace

std::shared_ptr<const ConvDataPass> makePointwiseDataPass(const ConvGeometry& geometry,
                                                          ConvDataPass::Direction direction,
                                                          ConvForm form) {
    return std::make_shared<const PointwiseDataPass>(geometry, direction, form);
}

}  // namespace temper
