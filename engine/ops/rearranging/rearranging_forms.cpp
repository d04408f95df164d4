// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/rearranging/rearranging_forms.h"

#include <numeric>
#include <span>
#include <string>

#include "engine/core/checked.h"
#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/process_memory.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;

int64_t at(const Integers& values, size_t i, int64_t fallback) {
    return i < values.size() ? values[i] : fallback;
}

[[noreturn]] void fail(const Node& node, const std::string& message) {
    Error error(ErrorCode::InvalidInput, message);
    error.addContext(node.describe());
    throw error;
}

/// Numbers of windows, as many as expected or none, from `least` on.
void requireNumbers(const Node& node, const char* name, std::span<const int64_t> numbers,
                    size_t expected, int64_t least) {
    if (!numbers.empty() && numbers.size() != expected) {
        fail(node, "'" + std::string(name) + "' has " + counted(numbers.size(), "number") +
                       "; expected " + std::to_string(expected) + ".");
    }
    for (const int64_t number : numbers) {
        if (number >= least && number <= kLargestWindowNumber) continue;
        fail(node, "'" + std::string(name) + "' holds " + std::to_string(number) +
                       "; expected numbers from " + std::to_string(least) + " to " +
                       std::to_string(kLargestWindowNumber) + ".");
    }
}

int64_t blockCount(const WindowAxis& axis) {
    const int64_t free = axis.input + axis.padBegin + axis.padEnd - axis.extent();
    return free < 0 ? 0 : free / axis.stride + 1;
}

/// Calls f with every combination of indices below `counts`, the last one fastest.
template <typename F>
void forEachIndex(const Shape& counts, F&& f) {
    const int64_t total = numElements(counts);
    Shape index(counts.size(), 0);
    for (int64_t i = 0; i < total; ++i) {
        f(index);
        for (size_t axis = counts.size(); axis-- > 0;) {
            if (++index[axis] < counts[axis]) break;
            index[axis] = 0;
        }
    }
}

/// The element under tap `tap` of block `block`; -1 in the padding.
int64_t sourceOf(const std::vector<WindowAxis>& axes, const Shape& tap, const Shape& block) {
    int64_t element = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
        const int64_t position = axes[i].start(block[i]) + tap[i] * axes[i].dilation;
        if (position < 0 || position >= axes[i].input) return -1;
        element = element * axes[i].input + position;
    }
    return element;
}

}  // namespace

SymbolicShape unpooledSpatial(const Node& node, const SymbolicShape& spatial) {
    const WindowAttributes window = WindowAttributes::of(node);
    const size_t rank = spatial.size();
    requireNumbers(node, "kernel_shape", window.kernel, rank, 1);
    requireNumbers(node, "strides", window.strides, rank, 1);
    requireNumbers(node, "pads", window.pads, 2 * rank, 0);
    SymbolicShape output;
    for (size_t i = 0; i < rank; ++i) {
        const int64_t pads = at(window.pads, i, 0) + at(window.pads, i + rank, 0);
        const int64_t steps = spatial[i].isNumber() ? spatial[i].value - 1 : 0;
        const int64_t size = checkedSum(checkedProduct(steps, at(window.strides, i, 1)),
                                        at(window.kernel, i, 1) - pads);
        output.push_back(spatial[i].isNumber() ? Dim::of(size) : Dim::unknown());
    }
    return output;
}

std::vector<WindowAxis> columnBlocks(const Node& node, std::span<const int64_t> image,
                                     std::span<const int64_t> block) {
    const WindowAttributes window = WindowAttributes::of(node);
    const size_t rank = image.size();
    if (block.size() != rank) {
        fail(node, "block_shape has " + counted(block.size(), "element") + "; expected " +
                       std::to_string(rank) + ", one for each of image_shape.");
    }
    requireNumbers(node, "image_shape", image, rank, 0);
    requireNumbers(node, "block_shape", block, rank, 1);
    requireNumbers(node, "strides", window.strides, rank, 1);
    requireNumbers(node, "dilations", window.dilations, rank, 1);
    requireNumbers(node, "pads", window.pads, 2 * rank, 0);
    std::vector<WindowAxis> axes;
    for (size_t i = 0; i < rank; ++i) {
        WindowAxis axis;
        axis.input = image[i];
        axis.kernel = block[i];
        axis.stride = at(window.strides, i, 1);
        axis.dilation = at(window.dilations, i, 1);
        axis.padBegin = at(window.pads, i, 0);
        axis.padEnd = at(window.pads, i + rank, 0);
        axis.output = blockCount(axis);
        axes.push_back(axis);
    }
    return axes;
}

std::vector<int64_t> columnSources(const std::vector<WindowAxis>& axes) {
    Shape taps, blocks;
    for (const WindowAxis& axis : axes) {
        taps.push_back(axis.kernel);
        blocks.push_back(axis.output);
    }
    const int64_t count = checkedProduct(numElements(taps), numElements(blocks));
    requireMemory("A table of " + counted(count, "element") + " of Col2Im",
                  sizeof(int64_t) * static_cast<double>(count));
    std::vector<int64_t> sources;
    forEachIndex(taps, [&](const Shape& tap) {
        forEachIndex(blocks,
                     [&](const Shape& block) { sources.push_back(sourceOf(axes, tap, block)); });
    });
    return sources;
}

CenterMargins CenterMargins::of(int64_t from, int64_t to) {
    const int64_t difference = from > to ? from - to : to - from;
    const int64_t begin = difference / 2, end = difference - begin;
    return from > to ? CenterMargins{-begin, -end} : CenterMargins{begin, end};
}

std::vector<int64_t> centeredAxes(const Node& node, size_t rank) {
    std::vector<int64_t> all(rank);
    std::iota(all.begin(), all.end(), 0);
    const auto given = node.attribute<Integers>("axes");
    if (!given) return all;
    std::vector<int64_t> axes;
    for (const int64_t axis : *given)
        axes.push_back(normalizeAxis(axis, static_cast<int64_t>(rank), "An axis of CenterCropPad"));
    return axes;
}

}  // namespace temper
