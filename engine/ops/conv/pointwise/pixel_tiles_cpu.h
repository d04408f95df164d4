// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/ops/conv/conv.h"
#include "engine/runtime/cpu/scratch_layout.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {

/// Images of any number of channels whose pixels are read and written in tiles of blocks of
/// channels.
struct PixelImages {
    int64_t channels = 0;
    int64_t pixels = 0;  ///< of an image
    bool isBlocked = false;

    int64_t blocks() const { return (channels + kChannelBlock - 1) / kChannelBlock; }
};

/// The pixels [begin, end) of an image.
struct PixelRange {
    int64_t image = 0;
    int64_t begin = 0;
    int64_t end = 0;

    int64_t count() const { return end - begin; }
};

/// The images of a batch cut into tiles of nearly equal size, so that the channels of a tile stay
/// in a core's cache.
struct PixelTiles {
    /// `channels`: all that are read or written for each pixel.
    PixelTiles(const ConvGeometry& geometry, int64_t channels);

    int64_t count() const { return batch * perImage; }
    int64_t mostPixels() const { return (pixels + perImage - 1) / perImage; }
    PixelRange tile(int64_t i) const {
        const int64_t tile = i % perImage;
        return {i / perImage, pixels * tile / perImage, pixels * (tile + 1) / perImage};
    }

    int64_t batch;
    int64_t pixels;
    int64_t perImage = 1;
};

/// Blocks of channels of a tile, `blockStride` floats apart.
template <typename T>
struct PixelBlocks {
    T* data = nullptr;
    int64_t blockStride = 0;

    T* block(int64_t i) const { return data + i * blockStride; }
};

/// Room for a tile of images that are not in blocks; none if they are.
class PixelBuffer {
public:
    PixelBuffer(const PixelImages& images, int64_t blocks, int64_t pixels, ScratchLayout& scratch)
        : blockStride_(pixels * kChannelBlock),
          offset_(images.isBlocked
                      ? 0
                      : scratch.add(static_cast<size_t>(blocks * blockStride_) * sizeof(float))) {}

    PixelBlocks<float> in(std::byte* scratch) const {
        return {reinterpret_cast<float*>(scratch + offset_), blockStride_};
    }

private:
    int64_t blockStride_;
    size_t offset_;
};

/// All blocks of a tile: where they are, or copied to `buffer`, zeros after the last channel.
PixelBlocks<const float> readTile(const PixelImages& images, const float* data,
                                  const PixelRange& range, PixelBlocks<float> buffer);

/// Copies a block of a tile to images that are not in blocks.
void writeBlock(const PixelImages& images, const PixelRange& range, int64_t block,
                const float* tile, float* data);

}  // namespace temper
