// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/winograd/geometry_cpu.h"

#include <algorithm>

#include "engine/runtime/cpu/block_product.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

/// Rows of B that stay in the first cache with the columns of a panel.
constexpr int64_t kInnerBlock = 192;

simd::ImageTiles imageTiles(const Shape& shape) {
    simd::ImageTiles tiles;
    tiles.channels = shape[1];
    tiles.height = shape[2];
    tiles.width = shape[3];
    return tiles;
}

/// [features, channels, r, r] as a matrix.
simd::KernelMatrix kernelMatrix(const ConvGeometry& g, bool isBackward) {
    const int64_t kernel = g.axes[0].kernel;
    const int64_t ofChannel = kernel * kernel, ofFeature = g.channels * ofChannel;
    if (isBackward) return {kernel, g.channels, ofFeature, ofChannel, true};
    return {kernel, g.features, ofChannel, ofFeature, false};
}

}  // namespace

WinogradGeometry::WinogradGeometry(const ConvGeometry& g, ConvDataPass::Direction direction)
    : batch(g.batch), kernel(g.axes[0].kernel) {
    const bool isBackward = direction == ConvDataPass::Direction::Backward;
    from = imageTiles(isBackward ? g.featureShape() : g.imageShape());
    to = imageTiles(isBackward ? g.imageShape() : g.featureShape());
    kernels = kernelMatrix(g, isBackward);
    from.step = to.step = simd::resultsOfTile(kernel);
    from.tileRows = to.tileRows = partsOf(to.height, to.step);
    from.tileColumns = to.tileColumns = partsOf(to.width, to.step);
    const auto first = [&](const WindowAxis& axis) {
        return isBackward ? axis.padBegin - axis.kernel + 1 : -axis.padBegin;
    };
    from.firstRow = first(g.axes[0]);
    from.firstColumn = first(g.axes[1]);
}

PointBuffer::PointBuffer(int64_t rows, int64_t columns, Layout layout, ScratchLayout& scratch) {
    // Strides that are not powers of two share few places in the cache.
    if (layout == Layout::Rows) {
        rowStride_ = columns + kChannelBlock;
        panelStride_ = kPanelColumns;
        stride_ = rows * rowStride_ + kChannelBlock;
    } else {
        rowStride_ = kPanelColumns;
        panelStride_ = rows * kPanelColumns;
        stride_ = partsOf(columns, kPanelColumns) * panelStride_ + kChannelBlock;
    }
    offset_ = scratch.add(static_cast<size_t>(simd::kTilePoints * stride_) * sizeof(float));
}

void multiplyPoints(const PointProduct& p, const simd::PointMatrices& a,
                    const simd::PointMatrices& b, const simd::PointMatrices& c) {
    BlockProduct block;
    block.m = p.rows;
    block.n = p.columns;
    block.rowStrideA = p.transA ? 1 : a.rowStride;
    block.columnStrideA = p.transA ? a.rowStride : 1;
    block.rowStrideB = b.rowStride;
    block.panelStrideB = b.panelStride;
    block.rowStrideC = c.rowStride;
    for (int64_t point = 0; point < simd::kTilePoints; ++point) {
        for (int64_t k = 0; k < p.inner; k += kInnerBlock) {
            block.k = std::min(kInnerBlock, p.inner - k);
            block.a = a.data + point * a.stride + k * block.columnStrideA;
            block.b = b.data + point * b.stride + k * b.rowStride;
            block.c = c.data + point * c.stride;
            block.beta = k == 0 ? p.beta : 1.0F;
            multiplyBlock(block);
        }
    }
}

}  // namespace temper
