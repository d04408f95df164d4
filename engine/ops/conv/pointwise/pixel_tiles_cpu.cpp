// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/pointwise/pixel_tiles_cpu.h"

#include "engine/runtime/cpu/transposition.h"

namespace temper {
namespace {

constexpr int64_t kTileFloats = 32 << 10;
constexpr int64_t kMinTilePixels = 24;  ///< several rows of registers
constexpr int64_t kMinPixels = 16;
constexpr int64_t kMinChannels = 8;

}  // namespace

PixelTiles::PixelTiles(const ConvGeometry& geometry, int64_t channels)
    : batch(geometry.batch), pixels(geometry.axes[0].output * geometry.axes[1].output) {
    const int64_t wanted = std::max(kTileFloats / channels, kMinTilePixels);
    perImage = (pixels + wanted - 1) / wanted;
}

PixelBlocks<const float> readTile(const PixelImages& images, const float* data,
                                  const PixelRange& range, PixelBlocks<float> buffer) {
    const float* image = data + range.image * images.channels * images.pixels;
    if (images.isBlocked)
        return {image + range.begin * kChannelBlock, images.pixels * kChannelBlock};
    for (int64_t block = 0; block < images.blocks(); ++block) {
        const int64_t first = block * kChannelBlock;
        const int64_t channels = std::min(kChannelBlock, images.channels - first);
        if (channels < kChannelBlock)
            std::fill_n(buffer.block(block), range.count() * kChannelBlock, 0.0F);
        transposeMatrix(image + first * images.pixels + range.begin, images.pixels, channels,
                        range.count(), buffer.block(block), kChannelBlock);
    }
    return {buffer.data, buffer.blockStride};
}

void writeBlock(const PixelImages& images, const PixelRange& range, int64_t block,
                const float* tile, float* data) {
    const int64_t first = block * kChannelBlock;
    transposeMatrix(tile, kChannelBlock, range.count(),
                    std::min(kChannelBlock, images.channels - first),
                    data + (range.image * images.channels + first) * images.pixels + range.begin,
                    images.pixels);
}

bool suitsPointwise(const ConvGeometry& g) {
    if (g.axes.size() != 2 || g.group != 1 || g.channels < kMinChannels ||
        g.features < kMinChannels || g.axes[0].output * g.axes[1].output < kMinPixels) {
        return false;
    }
    return std::ranges::all_of(g.axes, [](const WindowAxis& axis) {
        return axis.kernel == 1 && axis.stride == 1 && axis.padBegin == 0 && axis.padEnd == 0 &&
               axis.input == axis.output;  // a ConvTranspose may add rows and columns
    });
}

}  // namespace temper
