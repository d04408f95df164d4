// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/pooling/max_pool_blocks_cpu.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/pooling/windows.h"

namespace temper {
namespace {

constexpr int64_t kPixelsPerTask = 1 << 11;

/// Calls f(block of channels) for each of all images.
template <typename F>
void forEachBlock(ThreadPool& pool, int64_t planes, int64_t pixels, F&& f) {
    pool.forRanges(planes / kChannelBlock, 1 + kPixelsPerTask / (pixels + 1),
                   [&](int64_t begin, int64_t end) {
                       for (int64_t block = begin; block < end; ++block) f(block);
                   });
}

simd::PixelWindow pixelWindow(const PoolGeometry& geometry, const TapRange& height,
                              const TapRange& width) {
    return {.rowBegin = height.begin,
            .rowEnd = height.end,
            .rowStep = height.step,
            .columnBegin = width.begin,
            .columnEnd = width.end,
            .columnStep = width.step,
            .columns = geometry.axes[2].input};
}

}  // namespace

std::unique_ptr<Kernel> blockedMaxPoolKernel(const PoolGeometry& geometry, bool hasIndices) {
    return makeKernel([=](const RunContext& c) {
        const int64_t in = geometry.inputSize(), out = geometry.outputSize();
        forEachBlock(c.pool(), geometry.planes, in, [&](int64_t block) {
            const float* x = c.in<float>(0) + block * in * kChannelBlock;
            const int64_t first = block * out * kChannelBlock;
            float* y = c.out<float>(0) + first;
            int64_t* indices = hasIndices ? c.out<int64_t>(1) + first : nullptr;
            forEachWindow(geometry, [&](int64_t o, TapRange, TapRange height, TapRange width) {
                std::array<int32_t, kChannelBlock> places;
                simd::maxOfPixels(pixelWindow(geometry, height, width), x, y + o * kChannelBlock,
                                  hasIndices ? places.data() : nullptr);
                for (int64_t k = 0; hasIndices && k < kChannelBlock; ++k)
                    indices[o * kChannelBlock + k] =
                        (block * kChannelBlock + k) * in + places[static_cast<size_t>(k)];
            });
        });
    });
}

std::unique_ptr<Kernel> blockedMaxPoolGradKernel(int64_t planes, int64_t in, int64_t out,
                                                 std::string node) {
    return makeKernel([=, node = std::move(node)](const RunContext& c) {
        forEachBlock(c.pool(), planes, in, [&](int64_t block) {
            const float* dy = c.in<float>(0) + block * out * kChannelBlock;
            const int64_t* indices = c.in<int64_t>(1) + block * out * kChannelBlock;
            float* dx = c.out<float>(0) + block * in * kChannelBlock;
            std::fill_n(dx, in * kChannelBlock, 0.0F);
            for (int64_t o = 0; o < out * kChannelBlock; o += kChannelBlock) {
                for (int64_t k = 0; k < kChannelBlock; ++k) {
                    const int64_t pixel = indices[o + k] - (block * kChannelBlock + k) * in;
                    if (pixel < 0 || pixel >= in) failPoolIndex(node, indices[o + k]);
                    dx[pixel * kChannelBlock + k] += dy[o + k];
                }
            }
        });
    });
}

void failPoolIndex(const std::string& node, int64_t index) {
    throw Error(ErrorCode::InvalidInput,
                "Index " + std::to_string(index) + " of " + node + " lies outside its image.",
                "Feed the second output of MaxPool.");
}

}  // namespace temper
