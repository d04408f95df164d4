// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "engine/ops/pooling/pooling.h"

namespace temper {

/// The taps of a window that are inside the input, along one dimension.
struct TapRange {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t step = 1;

    static TapRange of(const WindowAxis& axis, int64_t output) {
        const int64_t start = axis.start(output);
        const int64_t skipped = start < 0 ? (-start + axis.dilation - 1) / axis.dilation : 0;
        return {start + skipped * axis.dilation, std::min(start + axis.extent(), axis.input),
                axis.dilation};
    }
    int64_t count() const { return end > begin ? (end - begin + step - 1) / step : 0; }
};

/// The outputs [begin, end) along one dimension whose window has tap `k` inside the input.
struct OutputRange {
    int64_t begin = 0;
    int64_t end = 0;

    static OutputRange of(const WindowAxis& axis, int64_t k) {
        const int64_t offset =
            axis.padBegin - k * axis.dilation;  // input = output * stride - offset
        const int64_t last = axis.input - 1 + offset;
        return {offset <= 0 ? 0 : (offset + axis.stride - 1) / axis.stride,
                last < 0 ? 0 : std::min(last / axis.stride + 1, axis.output)};
    }
};

/// Calls f(firstOutput, depth, height) for each row of outputs with the TapRanges of its windows.
template <typename F>
void forEachOutputRow(const PoolGeometry& geometry, F&& f) {
    const auto& [depth, height, width] = geometry.axes;
    for (int64_t od = 0; od < depth.output; ++od) {
        for (int64_t oh = 0; oh < height.output; ++oh) {
            f((od * height.output + oh) * width.output, TapRange::of(depth, od),
              TapRange::of(height, oh));
        }
    }
}

/// Walks a row of outputs tap by tap: calls f(outputs, input) where output o in the OutputRange
/// reads input + o * stride. Each output sees its taps in row-major order.
template <typename F>
void forEachRowTap(const PoolGeometry& geometry, const TapRange& depth, const TapRange& height,
                   F&& f) {
    const WindowAxis& width = geometry.axes[2];
    for (int64_t d = depth.begin; d < depth.end; d += depth.step) {
        for (int64_t h = height.begin; h < height.end; h += height.step) {
            const int64_t row = (d * geometry.axes[1].input + h) * width.input;
            for (int64_t k = 0; k < width.kernel; ++k)
                f(OutputRange::of(width, k), row + k * width.dilation - width.padBegin);
        }
    }
}

/// Calls f(outputIndex, depth, height, width) with the TapRanges of each window of an image.
template <typename F>
void forEachWindow(const PoolGeometry& geometry, F&& f) {
    const auto& [depth, height, width] = geometry.axes;
    int64_t output = 0;
    for (int64_t od = 0; od < depth.output; ++od) {
        const TapRange d = TapRange::of(depth, od);
        for (int64_t oh = 0; oh < height.output; ++oh) {
            const TapRange h = TapRange::of(height, oh);
            for (int64_t ow = 0; ow < width.output; ++ow)
                f(output++, d, h, TapRange::of(width, ow));
        }
    }
}

/// Calls f(inputIndex) for each tap of a window, in row-major order.
template <typename F>
void forEachTap(const PoolGeometry& geometry, const TapRange& depth, const TapRange& height,
                const TapRange& width, F&& f) {
    const int64_t rows = geometry.axes[1].input, columns = geometry.axes[2].input;
    for (int64_t d = depth.begin; d < depth.end; d += depth.step) {
        for (int64_t h = height.begin; h < height.end; h += height.step) {
            const int64_t row = (d * rows + h) * columns;
            for (int64_t w = width.begin; w < width.end; w += width.step) f(row + w);
        }
    }
}

}  // namespace temper
