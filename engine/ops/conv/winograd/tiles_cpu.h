// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/runtime/cpu/block_product.h"

/// Winograd's transforms for convolutions of stride 1 with r x r kernels, r = 3 or 5: a tile of
/// 6 x 6 numbers needs one product for each of its points, whereas m x m results, m = 7 - r, would
/// need r x r each. The points are 0, 5/8, -5/8, 3/2, -3/2 and infinity on both axes: of the simple
/// ones those with the least rounding error.
/// Source: Lavin & Gray, Fast Algorithms for Convolutional Neural Networks (2016).
namespace temper::simd {

inline constexpr int64_t kTileExtent = 6;
inline constexpr int64_t kTilePoints = kTileExtent * kTileExtent;

constexpr int64_t resultsOfTile(int64_t kernel) { return kTileExtent + 1 - kernel; }

/// Matrices, one for each point, with their columns in panels as BlockProduct has them.
struct PointMatrices {
    float* data = nullptr;
    int64_t stride = 0;  ///< between the points
    int64_t rowStride = 0;
    int64_t panelStride = kPanelColumns;  ///< this: the matrices are row-major

    /// Of the first point.
    float* at(int64_t row, int64_t column) const {
        return data + column / kPanelColumns * panelStride + row * rowStride +
               column % kPanelColumns;
    }
};

/// Images in blocks of channels, cut into tiles.
struct ImageTiles {
    int64_t channels = 0;
    int64_t height = 0;
    int64_t width = 0;
    int64_t tileRows = 0;  ///< of an image
    int64_t tileColumns = 0;
    int64_t firstRow = 0;  ///< of the first tile in the image, negative for padding
    int64_t firstColumn = 0;
    int64_t step = 0;  ///< between tiles, in pixels

    int64_t perImage() const { return tileRows * tileColumns; }
};

/// Tiles and channels that are processed together.
struct TileRange {
    int64_t firstTile = 0;  ///< counted over all images
    int64_t tiles = 0;
    int64_t firstChannel = 0;
    int64_t channels = 0;  ///< a multiple of 16, as is the first
};

// Matrices have a row for each tile of the range and a column for each channel of it; pixels
// outside the image are zeros.

/// B^T d B for each tile d of 6 x 6 pixels.
void imagesToPoints(const ImageTiles& tiles, TileRange range, const float* images,
                    const PointMatrices& points);
/// A y A^T for each tile y of m x m pixels: gradients of results.
void resultsToPoints(const ImageTiles& tiles, int64_t kernel, TileRange range, const float* results,
                     const PointMatrices& points);
/// A^T p A, m x m pixels, plus bias[channel] unless that is null.
void pointsToResults(const ImageTiles& tiles, int64_t kernel, TileRange range,
                     const PointMatrices& points, const float* bias, float* results);

/// Kernels at weights[row * rowStride + column * columnStride], r x r numbers each.
struct KernelMatrix {
    int64_t kernel = 0;  ///< r
    int64_t columns = 0;
    int64_t rowStride = 0;
    int64_t columnStride = 0;
    bool isRotated = false;  ///< by half a turn, as the backward pass has them
};

// Rows [rowBegin, rowEnd) of the matrices; the number of columns is a multiple of 16.

/// G w G^T for each kernel w.
void weightsToPoints(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                     const float* weights, const PointMatrices& points);
/// G^T p G: gradients of weights.
void pointsToWeights(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                     const PointMatrices& points, float* weights);

}  // namespace temper::simd
