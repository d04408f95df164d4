// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "engine/ops/conv/pointwise/passes_cpu.h"
#include "engine/ops/conv/pointwise/pixel_tiles_cpu.h"
#include "engine/ops/conv/pointwise/products_cpu.h"
#include "engine/ops/simd_cpu.h"

namespace temper {
namespace {

constexpr int64_t kSquareFloats = kChannelBlock * kChannelBlock;
constexpr int64_t kGroupSquares = 256;    ///< sums that stay in a core's cache
constexpr int64_t kMaxSquares = 4 << 10;  ///< of all parts
constexpr int64_t kMinWeightTasks = 16;

/// Sums are squares, one for each pair of blocks of channels. The blocks of the features are
/// divided into groups, and the tiles into parts, which have sums of their own; a task is a group
/// of a part.
class PointwiseWeightsPass final : public ConvWeightsPass {
public:
    PointwiseWeightsPass(const ConvGeometry& g, const ConvForm& form)
        : tiles_(g, g.channels + g.features),
          images_{g.channels, tiles_.pixels, form.imagesBlocked},
          features_{g.features, tiles_.pixels, form.featuresBlocked},
          squares_(images_.blocks() * features_.blocks()) {
        groups_ = std::clamp<int64_t>(squares_ / kGroupSquares, 1, features_.blocks());
        const int64_t wanted = (kMinWeightTasks + groups_ - 1) / groups_;
        parts_ = std::clamp<int64_t>(std::min(wanted, kMaxSquares / squares_), 1, tiles_.count());
        sums_ =
            scratch_.add(static_cast<size_t>(parts_ * squares_ * kSquareFloats) * sizeof(float));
        for (int64_t i = 0; i < parts_ * groups_; ++i) {
            lanes_.push_back({{images_, images_.blocks(), tiles_.mostPixels(), scratch_},
                              {features_, features_.blocks(), tiles_.mostPixels(), scratch_}});
        }
    }

    void run(ThreadPool& pool, const void* images, const void* features, float* weights,
             std::byte* scratch) const override {
        auto* sums = reinterpret_cast<float*>(scratch + sums_);
        pool.forEach(parts_ * groups_, [&](int64_t task) {
            sumPart(lanes_[static_cast<size_t>(task)], task % parts_, task / parts_,
                    static_cast<const float*>(images), static_cast<const float*>(features), sums,
                    scratch);
        });
        pool.forEach(features_.blocks(), [&](int64_t block) { join(block, sums, weights); });
    }

private:
    struct Lane {
        PixelBuffer images;
        PixelBuffer features;
    };

    /// Of a block of features.
    float* squares(float* sums, int64_t part, int64_t feature) const {
        return sums + (part * squares_ + feature * images_.blocks()) * kSquareFloats;
    }

    void sumPart(const Lane& lane, int64_t part, int64_t group, const float* images,
                 const float* features, float* sums, std::byte* scratch) const {
        const int64_t begin = features_.blocks() * group / groups_,
                      end = features_.blocks() * (group + 1) / groups_;
        std::fill(squares(sums, part, begin), squares(sums, part, end), 0.0F);
        const int64_t tiles = tiles_.count();
        for (int64_t i = tiles * part / parts_; i < tiles * (part + 1) / parts_; ++i) {
            const PixelRange range = tiles_.tile(i);
            const auto x = readTile(images_, images, range, lane.images.in(scratch)),
                       dy = readTile(features_, features, range, lane.features.in(scratch));
            for (int64_t feature = begin; feature < end; ++feature)
                simd::addPixelProducts(
                    {range.count(), images_.channels,
                     std::min(kChannelBlock, features_.channels - feature * kChannelBlock), x.data,
                     x.blockStride, dy.block(feature), squares(sums, part, feature)});
        }
    }

    /// The rows of weights of a block of features, from the sums of all parts.
    void join(int64_t block, float* sums, float* weights) const {
        float* total = squares(sums, 0, block);
        const int64_t count = images_.blocks() * kSquareFloats;
        for (int64_t part = 1; part < parts_; ++part)
            simd::add({total}, {squares(sums, part, block)}, total, count);
        const int64_t first = block * kChannelBlock;
        const int64_t rows = std::min(kChannelBlock, features_.channels - first);
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t channel = 0; channel < images_.channels; channel += kChannelBlock)
                std::copy_n(total + channel * kChannelBlock + row * kChannelBlock,
                            std::min(kChannelBlock, images_.channels - channel),
                            weights + (first + row) * images_.channels + channel);
        }
    }

    PixelTiles tiles_;
    PixelImages images_;
    PixelImages features_;
    int64_t squares_;
    int64_t groups_ = 1;
    int64_t parts_ = 1;
    size_t sums_ = 0;
    std::vector<Lane> lanes_;
};

}  // namespace

std::shared_ptr<const ConvWeightsPass> makePointwiseWeightsPass(const ConvGeometry& geometry,
                                                                ConvForm form) {
    return std::make_shared<const PointwiseWeightsPass>(geometry, form);
}

}  // namespace temper
