// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/window.h"
#include "engine/core/counted.h"

#include <algorithm>
#include <string>

namespace temper {
namespace {

using Integers = std::vector<int64_t>;

AutoPad autoPadOf(const Node& node) {
    const std::string name = node.attribute<std::string>("auto_pad", "NOTSET");
    if (name == "NOTSET" || name.empty()) return AutoPad::NotSet;
    if (name == "SAME_UPPER") return AutoPad::SameUpper;
    if (name == "SAME_LOWER") return AutoPad::SameLower;
    if (name == "VALID") return AutoPad::Valid;
    Error error(ErrorCode::InvalidInput,
                "Attribute 'auto_pad' is '" + name +
                    "'; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID.");
    error.addContext(node.describe());
    throw error;
}

int64_t at(const Integers& values, size_t i, int64_t fallback) {
    return i < values.size() ? values[i] : fallback;
}

bool isSame(AutoPad autoPad) {
    return autoPad == AutoPad::SameUpper || autoPad == AutoPad::SameLower;
}

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The output keeps the size of the input, and the pads follow from that.
void padSame(WindowAxis& axis, AutoPad autoPad) {
    axis.output = ceilDivide(axis.input, axis.stride);
    const int64_t total =
        std::max<int64_t>((axis.output - 1) * axis.stride + axis.extent() - axis.input, 0);
    axis.padBegin = autoPad == AutoPad::SameUpper ? total / 2 : total - total / 2;
    axis.padEnd = total - axis.padBegin;
}

/// Source: ONNX, MaxPool: a last window that would start in the padding at the end is left out.
void roundUp(WindowAxis& axis) {
    const int64_t free = axis.input + axis.padBegin + axis.padEnd - axis.extent();
    axis.output = ceilDivide(free, axis.stride) + 1;
    if ((axis.output - 1) * axis.stride >= axis.input + axis.padBegin) --axis.output;
}

WindowAxis axisOf(const WindowAttributes& window, size_t i, size_t rank, int64_t input) {
    WindowAxis axis;
    axis.input = input;
    axis.kernel = at(window.kernel, i, 1);
    axis.stride = at(window.strides, i, 1);
    axis.dilation = at(window.dilations, i, 1);
    if (isSame(window.autoPad)) {
        padSame(axis, window.autoPad);
        return axis;
    }
    if (window.autoPad == AutoPad::NotSet) {
        axis.padBegin = at(window.pads, i, 0);
        axis.padEnd = at(window.pads, i + rank, 0);
    }
    const int64_t free = axis.input + axis.padBegin + axis.padEnd - axis.extent();
    axis.output = free < 0 ? 0 : free / axis.stride + 1;
    if (window.ceilMode && free >= 0) roundUp(axis);
    return axis;
}

void checkList(const InferenceContext& context, const char* name, const Integers& values,
               size_t expected, int64_t smallest) {
    if (!values.empty() && values.size() != expected) {
        context.fail("Attribute '" + std::string(name) + "' has " +
                     counted(values.size(), "number") + "; expected " + std::to_string(expected) +
                     ".");
    }
    for (const int64_t value : values) {
        if (value >= smallest && value <= kLargestWindowNumber) continue;
        context.fail("Attribute '" + std::string(name) + "' holds " + std::to_string(value) +
                     "; expected numbers from " + std::to_string(smallest) + " to " +
                     std::to_string(kLargestWindowNumber) + ".");
    }
}

/// With auto_pad, any window fits; a window of billions of elements, nearly all padding, means a
/// damaged model and would take hours to sum.
void requireSensibleKernel(const InferenceContext& context, int64_t kernel, int64_t size) {
    constexpr int64_t kMaxPadding = 1 << 16;
    if (kernel - kMaxPadding <= size) return;
    context.fail("Attribute 'kernel_shape' holds " + std::to_string(kernel) +
                     " for a dimension of size " + std::to_string(size) + ".",
                 "Check the kernel size of the node.");
}

/// Every size of this dimension gives an output of the same size.
bool keepsSize(const WindowAttributes& window, size_t i, size_t rank) {
    const WindowAxis axis = axisOf(window, i, rank, 1);
    if (axis.stride != 1) return false;
    return isSame(window.autoPad) ||
           (axis.padBegin + axis.padEnd == axis.extent() - 1 &&
            window.autoPad == AutoPad::NotSet) ||
           axis.extent() == 1;
}

}  // namespace

WindowAttributes WindowAttributes::of(const Node& node) {
    return {node.attribute<Integers>("kernel_shape", {}),
            node.attribute<Integers>("strides", {}),
            node.attribute<Integers>("dilations", {}),
            node.attribute<Integers>("pads", {}),
            autoPadOf(node),
            node.attribute<int64_t>("ceil_mode", 0) != 0};
}

void checkWindow(const InferenceContext& context, const WindowAttributes& window,
                 const SymbolicShape& spatial) {
    const size_t rank = spatial.size();
    checkList(context, "kernel_shape", window.kernel, rank, 1);
    checkList(context, "strides", window.strides, rank, 1);
    checkList(context, "dilations", window.dilations, rank, 1);
    checkList(context, "pads", window.pads, 2 * rank, 0);
    for (size_t i = 0; i < rank; ++i) {
        if (!spatial[i].isNumber()) continue;
        requireSensibleKernel(context, at(window.kernel, i, 1), spatial[i].value);
        const WindowAxis axis = axisOf(window, i, rank, spatial[i].value);
        if (axis.output > 0 || axis.input == 0) continue;
        context.fail("A window of " + counted(axis.extent(), "element") +
                         " does not fit into spatial dimension " + std::to_string(i) + " of size " +
                         std::to_string(axis.input) + " with padding " +
                         std::to_string(axis.padBegin) + " and " + std::to_string(axis.padEnd) +
                         ".",
                     "Use larger images, or fewer or smaller windows.");
    }
}

std::vector<WindowAxis> windowAxes(const WindowAttributes& window,
                                   std::span<const int64_t> spatial) {
    std::vector<WindowAxis> axes;
    for (size_t i = 0; i < spatial.size(); ++i)
        axes.push_back(axisOf(window, i, spatial.size(), spatial[i]));
    return axes;
}

SymbolicShape windowOutput(const WindowAttributes& window, const SymbolicShape& spatial) {
    SymbolicShape output;
    for (size_t i = 0; i < spatial.size(); ++i) {
        const Dim& dim = spatial[i];
        if (dim.isNumber()) {
            output.push_back(Dim::of(axisOf(window, i, spatial.size(), dim.value).output));
        } else {
            output.push_back(keepsSize(window, i, spatial.size()) ? dim : Dim::unknown());
        }
    }
    return output;
}

std::vector<int64_t> padsOf(const std::vector<WindowAxis>& axes) {
    std::vector<int64_t> pads;
    for (const WindowAxis& axis : axes) pads.push_back(axis.padBegin);
    for (const WindowAxis& axis : axes) pads.push_back(axis.padEnd);
    return pads;
}

}  // namespace temper
