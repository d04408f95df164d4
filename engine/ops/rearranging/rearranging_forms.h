// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/shape.h"
#include "engine/ir/graph.h"
#include "engine/ir/type.h"
#include "engine/ops/window.h"

namespace temper {

/// Spatial dimensions of MaxUnpool's output if no input gives them. Source: ONNX, MaxUnpool.
SymbolicShape unpooledSpatial(const Node& node, const SymbolicShape& spatial);

/// The blocks of Col2Im: `input` of each axis is the image, `output` the number of blocks.
/// Throws: Error(InvalidInput) naming the node if lists have a wrong length.
std::vector<WindowAxis> columnBlocks(const Node& node, std::span<const int64_t> image,
                                     std::span<const int64_t> block);

/// For each element of a block and each block, in this order, the element of the image; -1 in the
/// padding.
std::vector<int64_t> columnSources(const std::vector<WindowAxis>& axes);

/// What CenterCropPad removes (negative) or adds before and after a dimension.
/// Source: ONNX, CenterCropPad: of an odd difference the smaller half is before.
struct CenterMargins {
    int64_t begin = 0;
    int64_t end = 0;

    static CenterMargins of(int64_t from, int64_t to);
};

/// The axes that CenterCropPad's shape refers to, each in [0, rank).
std::vector<int64_t> centeredAxes(const Node& node, size_t rank);

}  // namespace temper
