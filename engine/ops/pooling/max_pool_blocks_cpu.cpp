// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/pooling/max_pool_blocks_cpu.h"

#include <algorithm>
#include <utility>

#include "engine/ops/pooling/max_pool_block_loops_cpu.h"
#include "engine/ops/pooling/windows.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

constexpr int64_t kPixelsPerTask = 1 << 11;

/// Calls f(block of channels) for each block of all images.
template <typename F>
void forEachBlock(ThreadPool& pool, int64_t planes, int64_t pixels, F&& f) {
    pool.forRanges(planes / kChannelBlock, 1 + kPixelsPerTask / (pixels + 1),
                   [&](int64_t begin, int64_t end) {
                       for (int64_t block = begin; block < end; ++block) f(block);
                   });
}

/// Calls f(output, windows) for the windows of a row of outputs: those that reach into the padding
/// one by one, the others at once.
template <typename F>
void forEachWindows(const PoolGeometry& geometry, const TapRange& height, F&& f) {
    const WindowAxis& width = geometry.axes[2];
    const int64_t begin = OutputRange::of(width, 0).begin;
    const int64_t end = std::max(begin, OutputRange::of(width, width.kernel - 1).end);
    for (int64_t o = 0; o < width.output;) {
        const int64_t outputs = o == begin && end > begin ? end - begin : 1;
        const TapRange taps = TapRange::of(width, o);
        f(o, simd::PixelWindows{.outputs = outputs,
                                .first = height.begin * width.input + taps.begin,
                                .stride = width.stride,
                                .rows = height.count(),
                                .columns = taps.count(),
                                .rowStep = height.step * width.input,
                                .columnStep = taps.step});
        o += outputs;
    }
}

void addByIndex(const float* dy, const int64_t* indices, int64_t outputs,
                const simd::PixelIndices& counting, const std::string& node, float* dx) {
    std::fill_n(dx, counting.pixels * kChannelBlock, 0.0F);
    for (int64_t o = 0; o < outputs * kChannelBlock; o += kChannelBlock) {
        for (int64_t c = 0; c < kChannelBlock; ++c) {
            const int64_t index = indices[o + c];
            const int64_t first = counting.firstIndex + c * counting.pixels;
            if (index < first || index >= first + counting.pixels) failPoolIndex(node, index);
            dx[(index - first) * kChannelBlock + c] += dy[o + c];
        }
    }
}

/// For indices that are all taps of their windows. Returns: false if one is not.
bool putByWindow(const WindowsApart& windows, const float* dy, const int64_t* indices,
                 const simd::PixelIndices& counting, float* dx) {
    if (!windows.coverImage()) std::fill_n(dx, counting.pixels * kChannelBlock, 0.0F);
    const auto& [height, width] = windows.axes;
    for (int64_t row = 0; row < height.output; ++row) {
        const simd::PixelWindows inRow{.outputs = width.output,
                                       .first = row * height.stride * width.input,
                                       .stride = width.stride,
                                       .rows = height.kernel,
                                       .columns = width.kernel,
                                       .rowStep = width.input,
                                       .columnStep = 1};
        const int64_t first = row * width.output * kChannelBlock;
        if (!simd::gradientsOfPixels(inRow, counting, dy + first, indices + first, dx))
            return false;
    }
    return true;
}

}  // namespace

bool WindowsApart::coverImage() const {
    return std::ranges::all_of(axes, [](const WindowAxis& axis) {
        return axis.stride == axis.kernel && axis.output * axis.stride == axis.input;
    });
}

std::optional<WindowsApart> WindowsApart::of(const WindowAttributes& window, const Shape& image,
                                             const Shape& outputs) {
    const auto are = [](const std::vector<int64_t>& numbers, int64_t number) {
        return std::ranges::all_of(numbers, [=](int64_t each) { return each == number; });
    };
    WindowsApart windows;
    const size_t count = windows.axes.size();
    if (image.size() != count + 2 || window.kernel.size() != count ||
        window.strides.size() != count || !are(window.pads, 0) || !are(window.dilations, 1)) {
        return std::nullopt;
    }
    for (size_t i = 0; i < count; ++i) {
        WindowAxis& axis = windows.axes[i];
        axis.input = image[i + 2];
        axis.output = outputs[i + 2];
        axis.kernel = window.kernel[i];
        axis.stride = window.strides[i];
        const bool isApart = axis.kernel > 0 && axis.stride >= axis.kernel && axis.output > 0 &&
                             axis.start(axis.output - 1) + axis.kernel <= axis.input;
        if (!isApart) return std::nullopt;
    }
    return windows;
}

std::unique_ptr<Kernel> blockedMaxPoolKernel(const PoolGeometry& geometry, bool hasIndices) {
    return makeKernel([=](const RunContext& c) {
        const int64_t in = geometry.inputSize(), out = geometry.outputSize();
        forEachBlock(c.pool(), geometry.planes, in, [&](int64_t block) {
            const float* x = c.in<float>(0) + block * in * kChannelBlock;
            const int64_t first = block * out * kChannelBlock;
            float* y = c.out<float>(0) + first;
            int64_t* indices = hasIndices ? c.out<int64_t>(1) + first : nullptr;
            const simd::PixelIndices counting{block * kChannelBlock * in, in};
            forEachOutputRow(geometry, [&](int64_t row, TapRange, TapRange height) {
                forEachWindows(geometry, height, [&](int64_t o, const simd::PixelWindows& some) {
                    const int64_t at = (row + o) * kChannelBlock;
                    simd::maxOfPixels(some, counting, x, y + at,
                                      indices == nullptr ? nullptr : indices + at);
                });
            });
        });
    });
}

std::unique_ptr<Kernel> blockedMaxPoolGradKernel(int64_t planes, int64_t in, int64_t out,
                                                 std::optional<WindowsApart> windows,
                                                 std::string node) {
    return makeKernel([=, node = std::move(node)](const RunContext& c) {
        forEachBlock(c.pool(), planes, in, [&](int64_t block) {
            const float* dy = c.in<float>(0) + block * out * kChannelBlock;
            const int64_t* indices = c.in<int64_t>(1) + block * out * kChannelBlock;
            float* dx = c.out<float>(0) + block * in * kChannelBlock;
            const simd::PixelIndices counting{block * kChannelBlock * in, in};
            if (windows && putByWindow(*windows, dy, indices, counting, dx)) return;
            addByIndex(dy, indices, out, counting, node, dx);
        });
    });
}

void failPoolIndex(const std::string& node, int64_t index) {
    throw Error(ErrorCode::InvalidInput,
                "Index " + std::to_string(index) + " of " + node + " is outside its image.",
                "Feed the second output of MaxPool.");
}

}  // namespace temper
