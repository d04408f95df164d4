// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/plain_passes_cpu.h"

#include <optional>
#include <utility>

#include "engine/runtime/cpu/channel_layout.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

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

}  // namespace

std::shared_ptr<const ConvDataPass> withPlainImages(std::unique_ptr<const ConvDataPass> pass,
                                                    const ConvGeometry& geometry,
                                                    ConvDataPass::Direction direction,
                                                    const ConvForm& form) {
    if (form.imagesBlocked && form.featuresBlocked) return pass;
    const Shape image = geometry.imageShape(), features = geometry.featureShape();
    const Shape* plainImage = form.imagesBlocked ? nullptr : &image;
    const Shape* plainFeatures = form.featuresBlocked ? nullptr : &features;
    const bool isForward = direction == ConvDataPass::Direction::Forward;
    return std::make_shared<const PlainDataPass>(std::move(pass),
                                                 isForward ? plainImage : plainFeatures,
                                                 isForward ? plainFeatures : plainImage);
}

std::shared_ptr<const ConvWeightsPass> withPlainImages(std::unique_ptr<const ConvWeightsPass> pass,
                                                       const ConvGeometry& geometry,
                                                       const ConvForm& form) {
    if (form.imagesBlocked && form.featuresBlocked) return pass;
    const Shape image = geometry.imageShape(), features = geometry.featureShape();
    return std::make_shared<const PlainWeightsPass>(std::move(pass),
                                                    form.imagesBlocked ? nullptr : &image,
                                                    form.featuresBlocked ? nullptr : &features);
}

}  // namespace temper
