// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/few_channels_cpu.h"

#include <algorithm>

#include "engine/ops/conv/plain_passes_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/runtime/cpu/block_product.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

constexpr int64_t kMaxChannels = 4;
constexpr int64_t kMinTaps = 5;  ///< of a row: enough sums to fill the registers
constexpr int64_t kMaxBatchLanes = 16;

/// Plain images, blocked features. Each lane takes some of the images and has sums of its own:
/// [blocks of features, channels, kernel, kChannelBlock].
class FewChannelsWeightsPass final : public ConvWeightsPass {
public:
    explicit FewChannelsWeightsPass(const ConvGeometry& g)
        : height_(g.axes[0]),
          width_(g.axes[1]),
          batch_(g.batch),
          channels_(g.channels),
          blocks_(g.features / kChannelBlock),
          taps_(channels_ * height_.kernel * width_.kernel),
          paddedWidth_((width_.output - 1) * width_.stride + width_.kernel),
          lanes_(std::min(batch_, kMaxBatchLanes)) {
        row_ = scratch_.add(static_cast<size_t>(lanes_ * paddedWidth_) * sizeof(float));
        sums_ = scratch_.add(static_cast<size_t>(lanes_ * sumFloats()) * sizeof(float));
    }

    void run(ThreadPool& pool, const void* images, const void* features, float* weights,
             std::byte* scratch) const override {
        auto* rows = reinterpret_cast<float*>(scratch + row_);
        auto* sums = reinterpret_cast<float*>(scratch + sums_);
        pool.forEach(lanes_, [&](int64_t lane) {
            float* ofLane = sums + lane * sumFloats();
            std::fill_n(ofLane, sumFloats(), 0.0F);
            const int64_t end = batch_ * (lane + 1) / lanes_;
            for (int64_t n = batch_ * lane / lanes_; n < end; ++n)
                addImage(n, static_cast<const float*>(images), static_cast<const float*>(features),
                         rows + lane * paddedWidth_, ofLane);
        });
        for (int64_t lane = 1; lane < lanes_; ++lane)
            simd::add({sums}, {sums + lane * sumFloats()}, sums, sumFloats());
        for (int64_t feature = 0; feature < blocks_ * kChannelBlock; ++feature) {
            const float* from = sums + feature / kChannelBlock * taps_ * kChannelBlock;
            for (int64_t tap = 0; tap < taps_; ++tap)
                weights[feature * taps_ + tap] =
                    from[tap * kChannelBlock + feature % kChannelBlock];
        }
    }

private:
    int64_t sumFloats() const { return blocks_ * taps_ * kChannelBlock; }

    void addImage(int64_t n, const float* images, const float* features, float* row,
                  float* sums) const {
        const float* dy = features + n * blocks_ * kChannelBlock * height_.output * width_.output;
        for (int64_t channel = 0; channel < channels_; ++channel) {
            const float* plane = images + (n * channels_ + channel) * height_.input * width_.input;
            for (int64_t y = 0; y < height_.input; ++y) {
                pad(plane + y * width_.input, row);
                for (int64_t tap = 0; tap < height_.kernel; ++tap) {
                    const int64_t start = y - tap * height_.dilation + height_.padBegin;
                    const int64_t output = start / height_.stride;
                    if (start >= 0 && start % height_.stride == 0 && output < height_.output)
                        addRow(row, dy + output * width_.output * kChannelBlock,
                               sums + (channel * height_.kernel + tap) * width_.kernel *
                                          kChannelBlock);
                }
            }
        }
    }

    void pad(const float* from, float* row) const {
        const int64_t begin = std::min(width_.padBegin, paddedWidth_);
        const int64_t count = std::clamp<int64_t>(paddedWidth_ - begin, 0, width_.input);
        std::fill_n(row, begin, 0.0F);
        std::copy_n(from, count, row + begin);
        std::fill(row + begin + count, row + paddedWidth_, 0.0F);
    }

    /// sums[k, c] += the sum of row[o * stride + k] dy[o, c] over the outputs o, for all blocks.
    void addRow(const float* row, const float* dy, float* sums) const {
        BlockProduct product{.m = width_.kernel,
                             .n = kChannelBlock,
                             .k = width_.output,
                             .a = row,
                             .rowStrideA = 1,
                             .columnStrideA = width_.stride,
                             .rowStrideB = kChannelBlock,
                             .rowStrideC = kChannelBlock,
                             .beta = 1.0F};
        for (int64_t block = 0; block < blocks_; ++block) {
            product.b = dy + block * kChannelBlock * height_.output * width_.output;
            product.c = sums + block * taps_ * kChannelBlock;
            multiplyBlock(product);
        }
    }

    WindowAxis height_;
    WindowAxis width_;
    int64_t batch_;
    int64_t channels_;
    int64_t blocks_;
    int64_t taps_;
    int64_t paddedWidth_;
    int64_t lanes_;
    size_t row_ = 0;
    size_t sums_ = 0;
};

}  // namespace

bool suitsFewChannels(const ConvGeometry& g) {
    return g.axes.size() == 2 && g.group == 1 && g.channels <= kMaxChannels &&
           g.features % kChannelBlock == 0 && g.axes[1].kernel >= kMinTaps &&
           g.axes[1].dilation == 1;
}

std::shared_ptr<const ConvWeightsPass> makeFewChannelsWeightsPass(const ConvGeometry& g,
                                                                  ConvForm form) {
    form.imagesBlocked = true;  // they are taken as they are
    return withPlainImages(std::make_unique<const FewChannelsWeightsPass>(g), g, form);
}

}  // namespace temper
