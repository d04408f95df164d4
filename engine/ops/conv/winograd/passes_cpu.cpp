// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/winograd/passes_cpu.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/ops/conv/winograd/tile_groups_cpu.h"
#include "engine/ops/conv/winograd/weight_blocks_cpu.h"
#include "engine/runtime/cpu/channel_layout.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

constexpr int64_t kWorthFlops = 1 << 25;
constexpr int64_t kMinResults =
    128;  ///< per pair of channels: enough to pay for its weights' points
// Points of weights for which groups of tiles are faster than blocks of weights: those of the data
// are read for each group; sums of gradients are also written, and there is one per lane.
constexpr int64_t kMaxReadBytes = 3 << 20;
constexpr int64_t kMaxSumBytes = 768 << 10;

/// Plain images that a pass wants to have in blocks of channels, or the other way.
class BlockedCopy {
public:
    BlockedCopy(const Shape& shape, ScratchLayout& scratch)
        : blocks_(shape[0] * shape[1] / kChannelBlock),
          pixels_(shape[2] * shape[3]),
          offset_(scratch.add(static_cast<size_t>(numElements(shape)) * sizeof(float))) {}

    float* in(std::byte* scratch) const { return reinterpret_cast<float*>(scratch + offset_); }
    void fill(ThreadPool& pool, const void* plain, std::byte* scratch) const {
        copyToBlocks(pool, static_cast<const float*>(plain), in(scratch), blocks_, pixels_);
    }
    void copyTo(ThreadPool& pool, float* plain, std::byte* scratch) const {
        copyFromBlocks(pool, in(scratch), plain, blocks_, pixels_);
    }

private:
    int64_t blocks_;
    int64_t pixels_;
    size_t offset_;
};

/// A pass between images with one or both sides plain.
class PlainDataPass final : public ConvDataPass {
public:
    PlainDataPass(std::unique_ptr<const ConvDataPass> pass, const Shape* from, const Shape* to)
        : pass_(std::move(pass)) {
        inner_ = scratch_.add(pass_->scratchBytes());
        if (from != nullptr) from_.emplace(*from, scratch_);
        if (to != nullptr) to_.emplace(*to, scratch_);
        if (to != nullptr) {
            images_ = to->front();
            elements_ = numElements(*to) / images_;
        }
    }

    void run(ThreadPool& pool, const void* from, const void* weights, const float* bias, float* to,
             std::byte* scratch, const RangeFunction& finished) const override {
        if (from_) from_->fill(pool, from, scratch);
        const void* blockedFrom = from_ ? from_->in(scratch) : from;
        if (!to_) {
            pass_->run(pool, blockedFrom, weights, bias, to, scratch + inner_, finished);
            return;
        }
        const auto notYet = [](int64_t, int64_t) {};
        pass_->run(pool, blockedFrom, weights, bias, to_->in(scratch), scratch + inner_,
                   RangeFunction(notYet));
        to_->copyTo(pool, to, scratch);
        pool.forEach(images_,
                     [&](int64_t image) { finished(image * elements_, (image + 1) * elements_); });
    }

private:
    std::unique_ptr<const ConvDataPass> pass_;
    size_t inner_ = 0;
    std::optional<BlockedCopy> from_;
    std::optional<BlockedCopy> to_;
    int64_t images_ = 0;
    int64_t elements_ = 0;
};

class PlainWeightsPass final : public ConvWeightsPass {
public:
    PlainWeightsPass(std::unique_ptr<const ConvWeightsPass> pass, const Shape* images,
                     const Shape* features)
        : pass_(std::move(pass)) {
        inner_ = scratch_.add(pass_->scratchBytes());
        if (images != nullptr) images_.emplace(*images, scratch_);
        if (features != nullptr) features_.emplace(*features, scratch_);
    }

    void run(ThreadPool& pool, const void* images, const void* features, float* weights,
             std::byte* scratch) const override {
        if (images_) images_->fill(pool, images, scratch);
        if (features_) features_->fill(pool, features, scratch);
        pass_->run(pool, images_ ? images_->in(scratch) : images,
                   features_ ? features_->in(scratch) : features, weights, scratch + inner_);
    }

private:
    std::unique_ptr<const ConvWeightsPass> pass_;
    size_t inner_ = 0;
    std::optional<BlockedCopy> images_;
    std::optional<BlockedCopy> features_;
};

bool isWinogradAxis(const WindowAxis& axis) {
    return (axis.kernel == 3 || axis.kernel == 5) && axis.stride == 1 && axis.dilation == 1;
}

}  // namespace

bool suitsWinograd(const ConvGeometry& g) {
    if (g.axes.size() != 2 || g.group != 1 || g.channels % kChannelBlock != 0 ||
        g.features % kChannelBlock != 0) {
        return false;
    }
    const int64_t results = g.batch * g.axes[0].output * g.axes[1].output;
    return g.axes[0].kernel == g.axes[1].kernel && std::ranges::all_of(g.axes, isWinogradAxis) &&
           results >= kMinResults && g.flops() >= kWorthFlops;
}

std::shared_ptr<const ConvDataPass> makeWinogradDataPass(const ConvGeometry& g,
                                                         ConvDataPass::Direction direction,
                                                         ConvForm form) {
    std::unique_ptr<const ConvDataPass> pass;
    if (WinogradGeometry(g, direction).weightPointBytes() <= kMaxReadBytes) {
        pass = std::make_unique<const TileGroupDataPass>(g, direction, form.weightsAreConstant);
    } else {
        pass = std::make_unique<const WeightBlockDataPass>(g, direction);
    }
    if (form.imagesBlocked && form.featuresBlocked) return pass;
    const Shape image = g.imageShape(), features = g.featureShape();
    const Shape* plainImage = form.imagesBlocked ? nullptr : &image;
    const Shape* plainFeatures = form.featuresBlocked ? nullptr : &features;
    const bool isForward = direction == ConvDataPass::Direction::Forward;
    return std::make_shared<const PlainDataPass>(std::move(pass),
                                                 isForward ? plainImage : plainFeatures,
                                                 isForward ? plainFeatures : plainImage);
}

std::shared_ptr<const ConvWeightsPass> makeWinogradWeightsPass(const ConvGeometry& g,
                                                               ConvForm form) {
    std::unique_ptr<const ConvWeightsPass> pass;
    const auto forward = ConvDataPass::Direction::Forward;
    if (WinogradGeometry(g, forward).weightPointBytes() <= kMaxSumBytes) {
        pass = std::make_unique<const TileGroupWeightsPass>(g);
    } else {
        pass = std::make_unique<const WeightBlockWeightsPass>(g);
    }
    if (form.imagesBlocked && form.featuresBlocked) return pass;
    const Shape image = g.imageShape(), features = g.featureShape();
    return std::make_shared<const PlainWeightsPass>(std::move(pass),
                                                    form.imagesBlocked ? nullptr : &image,
                                                    form.featuresBlocked ? nullptr : &features);
}

}  // namespace temper
