// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ops/conv/conv_passes_cpu.h"
#include "engine/ops/conv/winograd/tiles_cpu.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {

constexpr int64_t partsOf(int64_t extent, int64_t part) { return (extent + part - 1) / part; }

/// How Winograd's passes see a convolution: `from` in tiles of 6 x 6 pixels, `to` in tiles of
/// m x m, and a matrix of kernels with a row for each channel of `from`.
struct WinogradGeometry {
    WinogradGeometry(const ConvGeometry& geometry, ConvDataPass::Direction direction);

    /// Elements of an image of `to`.
    int64_t toElements() const { return to.channels * to.height * to.width; }
    int64_t tiles() const { return batch * to.perImage(); }
    /// Bytes of the weights' points.
    int64_t weightPointBytes() const {
        return simd::kTilePoints * from.channels * to.channels * int64_t{sizeof(float)};
    }

    int64_t batch;
    int64_t kernel;
    simd::ImageTiles from;
    simd::ImageTiles to;
    simd::KernelMatrix kernels;
};

/// Scratch memory for matrices, one for each point.
class PointBuffer {
public:
    enum class Layout { Rows, Panels };  ///< row-major, or in panels of columns

    PointBuffer(int64_t rows, int64_t columns, Layout layout, ScratchLayout& scratch);

    simd::PointMatrices in(std::byte* scratch) const {
        return {reinterpret_cast<float*>(scratch + offset_), stride_, rowStride_, panelStride_};
    }

private:
    int64_t stride_ = 0;
    int64_t rowStride_ = 0;
    int64_t panelStride_ = 0;
    size_t offset_ = 0;
};

/// C = A B + beta C for each point, or C = A^T B + beta C; C is `rows` x `columns`.
struct PointProduct {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t inner = 0;
    bool transA = false;
    float beta = 0.0F;
};
void multiplyPoints(const PointProduct& product, const simd::PointMatrices& a,
                    const simd::PointMatrices& b, const simd::PointMatrices& c);

}  // namespace temper
