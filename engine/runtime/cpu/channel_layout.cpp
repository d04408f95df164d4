// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/channel_layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

/// Pixels whose channels are copied together: the placement of planes may leave room in the cache
/// for only a few of them at a time.
constexpr int64_t kPixelTile = 16;
/// Elements of 4 bytes are transposed in registers, in squares of this size.
constexpr int64_t kSquare = 4;

using Row [[gnu::vector_size(kSquare * sizeof(uint32_t))]] = uint32_t;

Row load(const uint32_t* from) {
    Row row;
    std::memcpy(&row, from, sizeof row);
    return row;
}

void store(Row row, uint32_t* to) { std::memcpy(to, &row, sizeof row); }

/// to[j * toStride + i] = from[i * fromStride + j]
void transposeSquare(const uint32_t* from, int64_t fromStride, uint32_t* to, int64_t toStride) {
    const Row a = load(from), b = load(from + fromStride), c = load(from + 2 * fromStride),
              d = load(from + 3 * fromStride);
    const Row abLow = __builtin_shufflevector(a, b, 0, 4, 1, 5),
              abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7),
              cdLow = __builtin_shufflevector(c, d, 0, 4, 1, 5),
              cdHigh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store(__builtin_shufflevector(abLow, cdLow, 0, 1, 4, 5), to);
    store(__builtin_shufflevector(abLow, cdLow, 2, 3, 6, 7), to + toStride);
    store(__builtin_shufflevector(abHigh, cdHigh, 0, 1, 4, 5), to + 2 * toStride);
    store(__builtin_shufflevector(abHigh, cdHigh, 2, 3, 6, 7), to + 3 * toStride);
}

/// A whole tile of one block; the planes of its channels are `pixels` apart.
template <bool toBlocked>
void copyTile(const uint32_t* from, uint32_t* to, int64_t first, int64_t pixels) {
    for (int64_t channel = 0; channel < kChannelBlock; channel += kSquare) {
        for (int64_t pixel = first; pixel < first + kPixelTile; pixel += kSquare) {
            const int64_t plain = channel * pixels + pixel;
            const int64_t blocked = pixel * kChannelBlock + channel;
            if constexpr (toBlocked) {
                transposeSquare(from + plain, pixels, to + blocked, kChannelBlock);
            } else {
                transposeSquare(from + blocked, kChannelBlock, to + plain, pixels);
            }
        }
    }
}

/// Pixels [begin, end) of one block.
template <bool toBlocked, typename T>
void copyPixels(const T* from, T* to, int64_t begin, int64_t end, int64_t pixels) {
    for (int64_t channel = 0; channel < kChannelBlock; ++channel) {
        for (int64_t pixel = begin; pixel < end; ++pixel) {
            const int64_t plain = channel * pixels + pixel;
            const int64_t blocked = pixel * kChannelBlock + channel;
            to[toBlocked ? blocked : plain] = from[toBlocked ? plain : blocked];
        }
    }
}

template <bool toBlocked, typename T>
void copyBlock(const T* from, T* to, int64_t pixels) {
    for (int64_t begin = 0; begin < pixels; begin += kPixelTile) {
        const int64_t end = std::min(begin + kPixelTile, pixels);
        if constexpr (sizeof(T) == sizeof(uint32_t)) {
            if (end - begin == kPixelTile) {
                copyTile<toBlocked>(from, to, begin, pixels);
                continue;
            }
        }
        copyPixels<toBlocked>(from, to, begin, end, pixels);
    }
}

template <bool toBlocked, typename T>
void copyBlocks(ThreadPool& pool, const T* from, T* to, int64_t blocks, int64_t pixels) {
    const int64_t size = pixels * kChannelBlock;
    pool.forRanges(blocks, 1 + (1 << 14) / size, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin * size; at < end * size; at += size)
            copyBlock<toBlocked>(from + at, to + at, pixels);
    });
}

template <typename T>
std::unique_ptr<Kernel> layoutKernel(const Shape& shape, bool toBlocked) {
    const int64_t pixels = shape[2] * shape[3];
    return makeKernel([=, blocks = shape[0] * shape[1] / kChannelBlock](const RunContext& c) {
        const auto copy = toBlocked ? copyBlocks<true, T> : copyBlocks<false, T>;
        copy(c.pool(), c.in<T>(0), c.out<T>(0), blocks, pixels);
    });
}

}  // namespace

std::unique_ptr<Kernel> channelLayoutKernel(const TensorType& type, bool toBlocked) {
    switch (dtypeSize(type.dtype)) {
        case 1: return layoutKernel<uint8_t>(type.shape, toBlocked);
        case 2: return layoutKernel<uint16_t>(type.shape, toBlocked);
        case 4: return layoutKernel<uint32_t>(type.shape, toBlocked);
        default: return layoutKernel<uint64_t>(type.shape, toBlocked);
    }
}

void copyToBlocks(ThreadPool& pool, const float* plain, float* blocked, int64_t blocks,
                  int64_t pixels) {
    copyBlocks<true>(pool, reinterpret_cast<const uint32_t*>(plain),
                     reinterpret_cast<uint32_t*>(blocked), blocks, pixels);
}

void copyFromBlocks(ThreadPool& pool, const float* blocked, float* plain, int64_t blocks,
                    int64_t pixels) {
    copyBlocks<false>(pool, reinterpret_cast<const uint32_t*>(blocked),
                      reinterpret_cast<uint32_t*>(plain), blocks, pixels);
}

}  // namespace temper
