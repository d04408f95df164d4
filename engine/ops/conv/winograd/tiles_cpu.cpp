// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/winograd/tiles_cpu.h"

#include <algorithm>
#include <cstddef>

#include "engine/runtime/kernels/blockable_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/conv/winograd/tiles_cpu.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace simd;

using TileTag = hn::CappedTag<float, static_cast<size_t>(kChannelBlock)>;
using TileVector = hn::Vec<TileTag>;

constexpr size_t kExtent = kTileExtent;

HWY_INLINE int64_t lanesOfTile() { return static_cast<int64_t>(hn::Lanes(TileTag())); }

HWY_INLINE TileVector times(TileVector x, float factor) {
    return hn::Mul(x, hn::Set(TileTag(), factor));
}

HWY_INLINE TileVector plusTimes(TileVector sum, TileVector x, float factor) {
    return hn::MulAdd(x, hn::Set(TileTag(), factor), sum);
}

// The transforms of one axis, each from `in` to `out` numbers.

// The points next to 0 and infinity are kNear, -kNear, kFar and -kFar.
constexpr float kNear = 0.625F, kFar = 1.5F;
constexpr float kNear2 = kNear * kNear, kFar2 = kFar * kFar;

/// B^T: polynomials that are zero at all points but one.
struct ImageAxis {
    static constexpr size_t in = kExtent, out = kExtent;
    static HWY_INLINE void apply(const TileVector* x, TileVector* y) {
        constexpr float product = kNear2 * kFar2, sum = kNear2 + kFar2;
        y[0] = plusTimes(plusTimes(x[4], x[0], product), x[2], -sum);
        const TileVector nearEven = plusTimes(x[4], x[2], -kFar2),
                         nearOdd = plusTimes(x[3], x[1], -kFar2),
                         farEven = plusTimes(x[4], x[2], -kNear2),
                         farOdd = plusTimes(x[3], x[1], -kNear2);
        y[1] = plusTimes(nearEven, nearOdd, kNear);
        y[2] = plusTimes(nearEven, nearOdd, -kNear);
        y[3] = plusTimes(farEven, farOdd, kFar);
        y[4] = plusTimes(farEven, farOdd, -kFar);
        y[5] = plusTimes(plusTimes(x[5], x[1], product), x[3], -sum);
    }
};

/// x[0] + x[1] p + x[2] p^2 ... at the points p = point and -point.
template <size_t terms>
HWY_INLINE void atPoints(const TileVector* x, float point, TileVector& plus, TileVector& minus) {
    TileVector even = x[0], odd = times(x[1], point);
    float power = point;
    HWY_UNROLL(6)
    for (size_t j = 2; j < terms; ++j) {
        power *= point;
        TileVector& sum = j % 2 == 0 ? even : odd;
        sum = plusTimes(sum, x[j], power);
    }
    plus = hn::Add(even, odd);
    minus = hn::Sub(even, odd);
}

/// A: polynomials with m coefficients at the points.
template <size_t kernel>
struct GradientAxis {
    static constexpr size_t in = kExtent + 1 - kernel, out = kExtent;
    static HWY_INLINE void apply(const TileVector* x, TileVector* y) {
        y[0] = x[0];
        atPoints<in>(x, kNear, y[1], y[2]);
        atPoints<in>(x, kFar, y[3], y[4]);
        y[5] = x[in - 1];
    }
};

/// The transpose of atPoints() over all points: y[j] = the sum of p^j x over the points p.
template <size_t count>
HWY_INLINE void sumOfPoints(const TileVector* x, TileVector* y) {
    const TileVector nearEven = hn::Add(x[1], x[2]), nearOdd = hn::Sub(x[1], x[2]),
                     farEven = hn::Add(x[3], x[4]), farOdd = hn::Sub(x[3], x[4]);
    y[0] = hn::Add(x[0], hn::Add(nearEven, farEven));
    float nearPower = 1.0F, farPower = 1.0F;
    HWY_UNROLL(6)
    for (size_t j = 1; j < count; ++j) {
        nearPower *= kNear;
        farPower *= kFar;
        const bool isEven = j % 2 == 0;
        y[j] = plusTimes(times(isEven ? nearEven : nearOdd, nearPower), isEven ? farEven : farOdd,
                         farPower);
    }
    y[count - 1] = hn::Add(y[count - 1], x[5]);
}

/// A^T
template <size_t kernel>
struct ResultAxis {
    static constexpr size_t in = kExtent, out = kExtent + 1 - kernel;
    static HWY_INLINE void apply(const TileVector* x, TileVector* y) { sumOfPoints<out>(x, y); }
};

/// The values of the polynomials of B^T at their points.
constexpr float kAtZero = kNear2 * kFar2, kAtNear = 2 * kNear2 * (kNear2 - kFar2),
                kAtFar = 2 * kFar2 * (kFar2 - kNear2);
constexpr float kPointScales[kExtent] = {1 / kAtZero, 1 / kAtNear, 1 / kAtNear,
                                         1 / kAtFar,  1 / kAtFar,  1.0F};

/// G: polynomials with r coefficients at the points, scaled.
template <size_t kernel>
struct WeightAxis {
    static constexpr size_t in = kernel, out = kExtent;
    static HWY_INLINE void apply(const TileVector* x, TileVector* y) {
        y[0] = x[0];
        atPoints<in>(x, kNear, y[1], y[2]);
        atPoints<in>(x, kFar, y[3], y[4]);
        y[5] = x[in - 1];
        HWY_UNROLL(6)
        for (size_t i = 0; i < kExtent; ++i) y[i] = times(y[i], kPointScales[i]);
    }
};

/// G^T
template <size_t kernel>
struct WeightGradientAxis {
    static constexpr size_t in = kExtent, out = kernel;
    static HWY_INLINE void apply(const TileVector* x, TileVector* y) {
        TileVector scaled[kExtent];
        HWY_UNROLL(6)
        for (size_t i = 0; i < kExtent; ++i) scaled[i] = times(x[i], kPointScales[i]);
        sumOfPoints<kernel>(scaled, y);
    }
};

/// Both axes: `load(row, column)` gives a number, `store(row, column, value)` takes one.
template <typename Axis, typename Load, typename Store>
HWY_INLINE void transform(Load load, Store store) {
    TileVector between[Axis::out][Axis::in];
    HWY_UNROLL(6)
    for (size_t column = 0; column < Axis::in; ++column) {
        TileVector x[Axis::in], y[Axis::out];
        HWY_UNROLL(6)
        for (size_t row = 0; row < Axis::in; ++row) x[row] = load(row, column);
        Axis::apply(x, y);
        HWY_UNROLL(6)
        for (size_t row = 0; row < Axis::out; ++row) between[row][column] = y[row];
    }
    HWY_UNROLL(6)
    for (size_t row = 0; row < Axis::out; ++row) {
        TileVector y[Axis::out];
        Axis::apply(between[row], y);
        HWY_UNROLL(6)
        for (size_t column = 0; column < Axis::out; ++column) store(row, column, y[column]);
    }
}

/// A tile in one block of channels of an image.
struct TilePlace {
    int64_t row;  ///< of its first pixel; outside the image in its padding
    int64_t column;
    int64_t block;  ///< offset of the image's block of channels
};

/// Calls `f(index of the tile, first of 16 channels, place)`, both counted from the range's first.
template <typename F>
HWY_INLINE void forEachTile(const ImageTiles& tiles, TileRange range, F f) {
    const int64_t plane = tiles.height * tiles.width;
    for (int64_t channel = 0; channel < range.channels; channel += kChannelBlock) {
        for (int64_t i = 0; i < range.tiles; ++i) {
            const int64_t tile = range.firstTile + i;
            const int64_t image = tile / tiles.perImage(), within = tile % tiles.perImage();
            const TilePlace place{tiles.firstRow + within / tiles.tileColumns * tiles.step,
                                  tiles.firstColumn + within % tiles.tileColumns * tiles.step,
                                  (image * tiles.channels + range.firstChannel + channel) * plane};
            f(i, channel, place);
        }
    }
}

HWY_INLINE bool isInside(const ImageTiles& tiles, const TilePlace& place, int64_t extent) {
    return place.row >= 0 && place.column >= 0 && place.row + extent <= tiles.height &&
           place.column + extent <= tiles.width;
}

/// Calls `f(pixels, row stride)` for the part of the tile in the image and zeros around it.
template <int64_t extent, typename F>
HWY_INLINE void withTile(const ImageTiles& tiles, const TilePlace& place, const float* images,
                         F f) {
    const float* plane = images + place.block;
    const int64_t rowStride = tiles.width * kChannelBlock;
    if (isInside(tiles, place, extent)) {
        f(plane + place.row * rowStride + place.column * kChannelBlock, rowStride);
        return;
    }
    HWY_ALIGN float padded[extent * extent * kChannelBlock] = {};
    const int64_t rowBegin = std::max<int64_t>(place.row, 0),
                  rowEnd = std::min(place.row + extent, tiles.height),
                  columnBegin = std::max<int64_t>(place.column, 0),
                  columnEnd = std::min(place.column + extent, tiles.width);
    for (int64_t row = rowBegin; row < rowEnd && columnBegin < columnEnd; ++row) {
        std::copy_n(
            plane + row * rowStride + columnBegin * kChannelBlock,
            (columnEnd - columnBegin) * kChannelBlock,
            padded + ((row - place.row) * extent + columnBegin - place.column) * kChannelBlock);
    }
    f(padded, extent * kChannelBlock);
}

/// Pixels of tiles to points.
template <typename Axis>
void tilesToPoints(const ImageTiles& tiles, TileRange range, const float* images,
                   const PointMatrices& points) {
    const TileTag d;
    const auto transformPixels = [&](const float* from, int64_t rowStride, float* to) HWY_ATTR {
        for (int64_t lane = 0; lane < kChannelBlock; lane += lanesOfTile()) {
            transform<Axis>(
                [&](size_t row, size_t column) HWY_ATTR {
                    return hn::LoadU(d, from + static_cast<int64_t>(row) * rowStride +
                                            static_cast<int64_t>(column) * kChannelBlock + lane);
                },
                [&](size_t row, size_t column, TileVector value) HWY_ATTR {
                    const auto point = static_cast<int64_t>(row * kExtent + column);
                    hn::StoreU(value, d, to + point * points.stride + lane);
                });
        }
    };
    forEachTile(tiles, range, [&](int64_t i, int64_t channel, const TilePlace& place) HWY_ATTR {
        float* to = points.at(i, channel);
        withTile<int64_t{Axis::in}>(tiles, place, images,
                                    [&](const float* from, int64_t rowStride)
                                        HWY_ATTR { transformPixels(from, rowStride, to); });
    });
}

template <typename Axis>
void pointsToTiles(const ImageTiles& tiles, TileRange range, const PointMatrices& points,
                   const float* bias, float* results) {
    const TileTag d;
    const int64_t rowStride = tiles.width * kChannelBlock;
    const auto transformPoints = [&](const float* from, int64_t channel, float* to,
                                     int64_t toStride) HWY_ATTR {
        for (int64_t lane = 0; lane < kChannelBlock; lane += lanesOfTile()) {
            const TileVector shift = bias == nullptr
                                         ? hn::Zero(d)
                                         : hn::LoadU(d, bias + range.firstChannel + channel + lane);
            transform<Axis>(
                [&](size_t row, size_t column) HWY_ATTR {
                    const auto point = static_cast<int64_t>(row * kExtent + column);
                    return hn::LoadU(d, from + point * points.stride + lane);
                },
                [&](size_t row, size_t column, TileVector value) HWY_ATTR {
                    hn::StoreU(hn::Add(value, shift), d,
                               to + static_cast<int64_t>(row) * toStride +
                                   static_cast<int64_t>(column) * kChannelBlock + lane);
                });
        }
    };
    constexpr int64_t extent = Axis::out;
    forEachTile(tiles, range, [&](int64_t i, int64_t channel, const TilePlace& place) HWY_ATTR {
        const float* from = points.at(i, channel);
        float* to = results + place.block + place.row * rowStride + place.column * kChannelBlock;
        if (isInside(tiles, place, extent)) {
            transformPoints(from, channel, to, rowStride);
            return;
        }
        HWY_ALIGN float whole[extent * extent * kChannelBlock];
        transformPoints(from, channel, whole, extent * kChannelBlock);
        const int64_t rows = std::min(extent, tiles.height - place.row),
                      columns = std::min(extent, tiles.width - place.column);
        for (int64_t row = 0; row < rows; ++row)
            std::copy_n(whole + row * extent * kChannelBlock, columns * kChannelBlock,
                        to + row * rowStride);
    });
}

/// A column of 16 kernels in `buffer`, number by number: [r x r, 16].
template <typename Copy>
HWY_INLINE void copyKernels(const KernelMatrix& kernels, int64_t row, int64_t column, Copy copy) {
    const int64_t size = kernels.kernel * kernels.kernel;
    for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
        const int64_t at = row * kernels.rowStride + (column + lane) * kernels.columnStride;
        for (int64_t i = 0; i < size; ++i)
            copy(at + (kernels.isRotated ? size - 1 - i : i), i * kChannelBlock + lane);
    }
}

template <size_t kernel>
void weightsToPointsOf(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                       const float* weights, const PointMatrices& points) {
    const TileTag d;
    HWY_ALIGN float buffer[kernel * kernel * kChannelBlock];
    const auto forBlock = [&](int64_t row, int64_t column) HWY_ATTR {
        copyKernels(kernels, row, column,
                    [&](int64_t from, int64_t to) { buffer[to] = weights[from]; });
        float* to = points.at(row, column);
        for (int64_t lane = 0; lane < kChannelBlock; lane += lanesOfTile()) {
            transform<WeightAxis<kernel>>(
                [&](size_t i, size_t j) HWY_ATTR {
                    return hn::Load(d, buffer + (i * kernel + j) * kChannelBlock + lane);
                },
                [&](size_t i, size_t j, TileVector value) HWY_ATTR {
                    const auto point = static_cast<int64_t>(i * kExtent + j);
                    hn::StoreU(value, d, to + point * points.stride + lane);
                });
        }
    };
    for (int64_t column = 0; column < kernels.columns; column += kChannelBlock) {
        for (int64_t row = rowBegin; row < rowEnd; ++row) forBlock(row, column);
    }
}

template <size_t kernel>
void pointsToWeightsOf(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                       const PointMatrices& points, float* weights) {
    const TileTag d;
    HWY_ALIGN float buffer[kernel * kernel * kChannelBlock];
    const auto forBlock = [&](int64_t row, int64_t column) HWY_ATTR {
        const float* from = points.at(row, column);
        for (int64_t lane = 0; lane < kChannelBlock; lane += lanesOfTile()) {
            transform<WeightGradientAxis<kernel>>(
                [&](size_t i, size_t j) HWY_ATTR {
                    const auto point = static_cast<int64_t>(i * kExtent + j);
                    return hn::LoadU(d, from + point * points.stride + lane);
                },
                [&](size_t i, size_t j, TileVector value) HWY_ATTR {
                    hn::Store(value, d, buffer + (i * kernel + j) * kChannelBlock + lane);
                });
        }
        copyKernels(kernels, row, column,
                    [&](int64_t to, int64_t at) { weights[to] = buffer[at]; });
    };
    for (int64_t column = 0; column < kernels.columns; column += kChannelBlock) {
        for (int64_t row = rowBegin; row < rowEnd; ++row) forBlock(row, column);
    }
}

void imagesToPointsLoop(const ImageTiles& tiles, TileRange range, const float* images,
                        const PointMatrices& points) {
    tilesToPoints<ImageAxis>(tiles, range, images, points);
}

void resultsToPointsLoop(const ImageTiles& tiles, int64_t kernel, TileRange range,
                         const float* results, const PointMatrices& points) {
    const auto loop = kernel == 3 ? tilesToPoints<GradientAxis<3>> : tilesToPoints<GradientAxis<5>>;
    loop(tiles, range, results, points);
}

void pointsToResultsLoop(const ImageTiles& tiles, int64_t kernel, TileRange range,
                         const PointMatrices& points, const float* bias, float* results) {
    const auto loop = kernel == 3 ? pointsToTiles<ResultAxis<3>> : pointsToTiles<ResultAxis<5>>;
    loop(tiles, range, points, bias, results);
}

void weightsToPointsLoop(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                         const float* weights, const PointMatrices& points) {
    const auto loop = kernels.kernel == 3 ? weightsToPointsOf<3> : weightsToPointsOf<5>;
    loop(kernels, rowBegin, rowEnd, weights, points);
}

void pointsToWeightsLoop(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                         const PointMatrices& points, float* weights) {
    const auto loop = kernels.kernel == 3 ? pointsToWeightsOf<3> : pointsToWeightsOf<5>;
    loop(kernels, rowBegin, rowEnd, points, weights);
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(imagesToPointsLoop);
HWY_EXPORT(resultsToPointsLoop);
HWY_EXPORT(pointsToResultsLoop);
HWY_EXPORT(weightsToPointsLoop);
HWY_EXPORT(pointsToWeightsLoop);
}  // namespace

namespace simd {

void imagesToPoints(const ImageTiles& tiles, TileRange range, const float* images,
                    const PointMatrices& points) {
    HWY_DYNAMIC_DISPATCH(imagesToPointsLoop)(tiles, range, images, points);
}

void resultsToPoints(const ImageTiles& tiles, int64_t kernel, TileRange range, const float* results,
                     const PointMatrices& points) {
    HWY_DYNAMIC_DISPATCH(resultsToPointsLoop)(tiles, kernel, range, results, points);
}

void pointsToResults(const ImageTiles& tiles, int64_t kernel, TileRange range,
                     const PointMatrices& points, const float* bias, float* results) {
    HWY_DYNAMIC_DISPATCH(pointsToResultsLoop)(tiles, kernel, range, points, bias, results);
}

void weightsToPoints(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                     const float* weights, const PointMatrices& points) {
    HWY_DYNAMIC_DISPATCH(weightsToPointsLoop)(kernels, rowBegin, rowEnd, weights, points);
}

void pointsToWeights(const KernelMatrix& kernels, int64_t rowBegin, int64_t rowEnd,
                     const PointMatrices& points, float* weights) {
    HWY_DYNAMIC_DISPATCH(pointsToWeightsLoop)(kernels, rowBegin, rowEnd, points, weights);
}

}  // namespace simd
}  // namespace temper
#endif
