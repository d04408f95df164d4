// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/saturated_cast.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/regions/region_forms.h"
#include "engine/ops/regions/regions.h"

namespace temper {
namespace {

struct ImageSizes {
    int64_t batch = 0;
    int64_t channels = 0;
    int64_t height = 0;
    int64_t width = 0;

    static ImageSizes of(const Shape& shape) { return {shape[0], shape[1], shape[2], shape[3]}; }
    int64_t plane() const { return height * width; }
};

/// The image that a region is in. Throws: Error(InvalidInput) naming the number.
int64_t checkedImage(int64_t index, int64_t batch) {
    if (index >= 0 && index < batch) return index;
    throw Error(ErrorCode::InvalidInput, "A region names image " + std::to_string(index) +
                                             " of a batch of " + std::to_string(batch) + ".");
}

// RoiAlign. Source: ONNX, RoiAlign; He et al., Mask R-CNN (2017); samples, borders and the maximum
// over single products as in ORT.

struct Range {
    int64_t begin = 0;
    int64_t end = 0;

    int64_t count() const { return end - begin; }
};

/// The bins of a region along one axis.
template <typename T>
struct BinAxis {
    T start = 0;
    T bin = 0;
    int64_t samples = 0;  ///< in each bin

    static BinAxis of(const RoiAlignForm& form, T low, T high, int64_t bins) {
        const T offset = form.isHalfPixel ? T{0.5} : T{0};
        const T scale = static_cast<T>(form.spatialScale);
        BinAxis axis;
        axis.start = low * scale - offset;
        T size = high * scale - offset - axis.start;
        if (!form.isHalfPixel) size = std::max(size, T{1});
        axis.bin = size / static_cast<T>(bins);
        axis.samples = form.samplingRatio > 0 ? form.samplingRatio
                                              : saturatedCast<int64_t>(std::ceil(axis.bin));
        return axis;
    }

    T position(int64_t index, int64_t sample) const {
        return start + static_cast<T>(index) * bin +
               (static_cast<T>(sample) + T{0.5}) * bin / static_cast<T>(samples);
    }

    /// The samples of a bin, except those that are certainly outside the image: a region may be any
    /// number of times larger than the image.
    Range samplesInside(int64_t index, int64_t size) const {
        if (!(bin > 0)) return {0, samples};
        const T first = start + static_cast<T>(index) * bin,
                density = static_cast<T>(samples) / bin;
        const auto begin =
            saturatedCast<int32_t>(std::floor((T{-1} - first) * density)) - int64_t{2};
        const auto end =
            saturatedCast<int32_t>(std::ceil((static_cast<T>(size) - first) * density)) +
            int64_t{2};
        return {std::clamp<int64_t>(begin, 0, samples), std::clamp<int64_t>(end, 0, samples)};
    }
};

/// The two elements around a position and their weights; both 0 far outside.
template <typename T>
struct EdgePair {
    std::array<int64_t, 2> index{};
    std::array<T, 2> weight{};

    static EdgePair of(T position, int64_t size) {
        if (!(position >= T{-1} && position <= static_cast<T>(size))) return {};
        position = std::clamp(position, T{0}, static_cast<T>(size - 1));
        const auto low = static_cast<int64_t>(position);
        const T fraction = position - static_cast<T>(low);
        return {{low, std::min(low + 1, size - 1)}, {1 - fraction, fraction}};
    }
};

template <typename T>
struct BinResult {
    T sum = 0;
    T maximum = 0;
    bool isEmpty = true;

    void add(const EdgePair<T>& y, const EdgePair<T>& x, const T* plane, int64_t width) {
        for (size_t i = 0; i < 2; ++i) {
            for (size_t j = 0; j < 2; ++j) {
                const T product =
                    y.weight[i] * x.weight[j] * plane[y.index[i] * width + x.index[j]];
                sum += product;
                maximum = isEmpty ? product : std::max(maximum, product);
                isEmpty = false;
            }
        }
    }
};

template <typename T>
T alignedBin(const RoiAlignForm& form, const ImageSizes& image, const BinAxis<T>& rows,
             const BinAxis<T>& columns, int64_t bin, const T* plane) {
    BinResult<T> result;
    const int64_t row = bin / form.width, column = bin % form.width;
    const Range ys = rows.samplesInside(row, image.height);
    const Range xs = columns.samplesInside(column, image.width);
    for (int64_t i = ys.begin; i < ys.end; ++i) {
        const auto y = EdgePair<T>::of(rows.position(row, i), image.height);
        for (int64_t j = xs.begin; j < xs.end; ++j) {
            const auto x = EdgePair<T>::of(columns.position(column, j), image.width);
            result.add(y, x, plane, image.width);
        }
    }
    const bool isCut = ys.count() < rows.samples || xs.count() < columns.samples;
    if (isCut && rows.samples > 0 && columns.samples > 0) result.add({}, {}, plane, image.width);
    if (form.takesMaximum) return result.maximum;
    const T samples = static_cast<T>(rows.samples) * static_cast<T>(columns.samples);
    return result.sum / std::max(samples, T{1});
}

template <typename T, typename Index>
std::unique_ptr<Kernel> makeTypedRoiAlign(const PrepareContext& context) {
    const RoiAlignForm form = RoiAlignForm::of(context.node(), context.opset());
    const ImageSizes image = ImageSizes::of(context.input(0).shape);
    const int64_t regions = context.output(0).shape[0], bins = form.height * form.width;
    return makeKernel([=](const RunContext& run) {
        run.pool().forRanges(regions * image.channels, 8, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t region = i / image.channels, channel = i % image.channels;
                const T* box = run.in<T>(1) + region * 4;
                const int64_t n = checkedImage(run.in<Index>(2)[region], image.batch);
                const T* plane = run.in<T>(0) + (n * image.channels + channel) * image.plane();
                const auto columns = BinAxis<T>::of(form, box[0], box[2], form.width);
                const auto rows = BinAxis<T>::of(form, box[1], box[3], form.height);
                T* output = run.out<T>(0) + i * bins;
                for (int64_t bin = 0; bin < bins; ++bin)
                    output[bin] = alignedBin(form, image, rows, columns, bin, plane);
            }
        });
    });
}

std::unique_ptr<Kernel> makeRoiAlign(const PrepareContext& context) {
    context.requireDType(1, context.input(0).dtype);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return visitIndex(context, context.input(2).dtype,
                          [&]<typename Index>() { return makeTypedRoiAlign<T, Index>(context); });
    });
}

// MaxRoiPool. Source: ONNX, MaxRoiPool; Girshick, Fast R-CNN (2015), with the limits of the bins
// as in ORT.

/// The elements of bin `index` of `bins` between two corners, along an axis of `size` elements.
template <typename T>
Range poolRange(T low, T high, float scale, int64_t index, int64_t bins, int64_t size) {
    const int64_t start = saturatedCast<int32_t>(std::round(low * static_cast<T>(scale)));
    const int64_t last = saturatedCast<int32_t>(std::round(high * static_cast<T>(scale)));
    const int64_t length = std::max<int64_t>(last - start + 1, 1);
    const T bin = static_cast<T>(length) / static_cast<T>(bins);
    const auto begin = static_cast<int64_t>(std::floor(static_cast<T>(index) * bin));
    const auto end = static_cast<int64_t>(std::ceil(static_cast<T>(index + 1) * bin));
    return {std::clamp<int64_t>(begin + start, 0, size), std::clamp<int64_t>(end + start, 0, size)};
}

template <typename T>
T maximumOf(const Range& rows, const Range& columns, const T* plane, int64_t width) {
    if (rows.begin >= rows.end || columns.begin >= columns.end) return 0;
    T maximum = plane[rows.begin * width + columns.begin];
    for (int64_t y = rows.begin; y < rows.end; ++y) {
        for (int64_t x = columns.begin; x < columns.end; ++x)
            maximum = std::max(maximum, plane[y * width + x]);
    }
    return maximum;
}

template <typename T>
std::unique_ptr<Kernel> makeTypedMaxRoiPool(const PrepareContext& context) {
    const MaxRoiPoolForm form = MaxRoiPoolForm::of(context.node());
    const ImageSizes image = ImageSizes::of(context.input(0).shape);
    const int64_t regions = context.output(0).shape[0], bins = form.height * form.width;
    return makeKernel([=](const RunContext& run) {
        run.pool().forRanges(regions * image.channels, 8, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t region = i / image.channels, channel = i % image.channels;
                const T* box = run.in<T>(1) + region * 5;
                const int64_t n = checkedImage(static_cast<int64_t>(box[0]), image.batch);
                const T* plane = run.in<T>(0) + (n * image.channels + channel) * image.plane();
                for (int64_t bin = 0; bin < bins; ++bin) {
                    const Range rows = poolRange(box[2], box[4], form.spatialScale,
                                                 bin / form.width, form.height, image.height);
                    const Range columns = poolRange(box[1], box[3], form.spatialScale,
                                                    bin % form.width, form.width, image.width);
                    run.out<T>(0)[i * bins + bin] = maximumOf(rows, columns, plane, image.width);
                }
            }
        });
    });
}

std::unique_ptr<Kernel> makeMaxRoiPool(const PrepareContext& context) {
    context.requireDType(1, context.input(0).dtype);
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return makeTypedMaxRoiPool<T>(context); });
}

}  // namespace

void addRegionKernels(KernelRegistry& kernels) {
    kernels.add("", "RoiAlign", makeRoiAlign);
    kernels.add("", "MaxRoiPool", makeMaxRoiPool);
}

}  // namespace temper
