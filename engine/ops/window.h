// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

enum class AutoPad { NotSet, SameUpper, SameLower, Valid };

/// The attributes with which convolutions and pools slide a window over the spatial dimensions.
/// Empty lists stand for the defaults: stride 1, dilation 1, no padding.
struct WindowAttributes {
    std::vector<int64_t> kernel;
    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> pads;  ///< all begins, then all ends
    AutoPad autoPad = AutoPad::NotSet;
    bool ceilMode = false;

    /// Throws: Error(InvalidInput) for an unknown auto_pad.
    static WindowAttributes of(const Node& node);
};

/// How the window moves along one spatial dimension.
struct WindowAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t padBegin = 0;
    int64_t padEnd = 0;

    /// Elements that the window spans.
    int64_t extent() const { return (kernel - 1) * dilation + 1; }
    /// Input position of tap 0 of output `o`; negative inside the padding.
    int64_t start(int64_t o) const { return o * stride - padBegin; }
};

/// Products and sums of such numbers and the sizes of tensors do not overflow.
inline constexpr int64_t kLargestWindowNumber = int64_t{1} << 31;

/// Throws: Error(InvalidInput) naming the node if lists have a wrong length or hold meaningless
/// numbers, or if the window does not fit into a known dimension.
void checkWindow(const InferenceContext& context, const WindowAttributes& window,
                 const SymbolicShape& spatial);

/// The movement over concrete dimensions; checkWindow() must have passed.
std::vector<WindowAxis> windowAxes(const WindowAttributes& window,
                                   std::span<const int64_t> spatial);

/// Output dimensions for dimensions that may be symbols; checkWindow() must have passed.
SymbolicShape windowOutput(const WindowAttributes& window, const SymbolicShape& spatial);

/// Pads as ONNX lists them: all begins, then all ends.
std::vector<int64_t> padsOf(const std::vector<WindowAxis>& axes);

}  // namespace temper
