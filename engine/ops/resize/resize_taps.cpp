// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/counted.h"
#include "engine/core/process_memory.h"
#include "engine/core/saturated_cast.h"
#include "engine/ops/resize/resize_plan.h"

namespace temper {
namespace {

// Coordinates are computed in float32, as in ORT: 3 / float(1/3) is 9 there, and a little less in
// float64, which would be another element after rounding.

float halfPixel(float position, float scale) { return (position + 0.5F) / scale - 0.5F; }

float resizedLength(const ResizeAxis& axis) {
    return axis.brokenOutput.value_or(static_cast<float>(axis.output));
}

float cropped(const ResizeAxis& axis, float position) {
    const auto last = static_cast<float>(axis.input - 1);
    if (axis.output <= 1) return 0.5F * (axis.roiStart + axis.roiEnd) * last;
    return axis.roiStart * last +
           position * (axis.roiEnd - axis.roiStart) * last / (resizedLength(axis) - 1);
}

float alignedCorners(const ResizeAxis& axis, float position) {
    if (axis.output <= 1) return 0;
    return position * static_cast<float>(axis.input - 1) / (resizedLength(axis) - 1);
}

float halfPixelSymmetric(const ResizeAxis& axis, float position) {
    const auto size = static_cast<float>(axis.input);
    const float adjustment = static_cast<float>(axis.output) / (axis.scale * size);
    return size / 2 * (1 - adjustment) + halfPixel(position, axis.scale);
}

/// Source: ONNX, Resize: the formulas of coordinate_transformation_mode.
float sourceOf(ResizeCoordinates coordinates, const ResizeAxis& axis, int64_t o) {
    const auto position = static_cast<float>(o);
    switch (coordinates) {
        case ResizeCoordinates::HalfPixel: return halfPixel(position, axis.scale);
        case ResizeCoordinates::HalfPixelSymmetric: return halfPixelSymmetric(axis, position);
        case ResizeCoordinates::PytorchHalfPixel:
            return axis.output > 1 ? halfPixel(position, axis.scale) : 0;
        case ResizeCoordinates::AlignCorners: return alignedCorners(axis, position);
        case ResizeCoordinates::Asymmetric: return position / axis.scale;
        case ResizeCoordinates::TfHalfPixelForNearest: return (position + 0.5F) / axis.scale;
        case ResizeCoordinates::TfCropAndResize: return cropped(axis, position);
    }
    return 0;
}

float rounded(ResizeRounding rounding, float source, bool shrinks) {
    switch (rounding) {
        case ResizeRounding::PreferFloor: return std::ceil(source - 0.5F);
        case ResizeRounding::PreferCeil: return std::floor(source + 0.5F);
        case ResizeRounding::Floor: return std::floor(source);
        case ResizeRounding::Ceil: return std::ceil(source);
        case ResizeRounding::Simple: return shrinks ? std::ceil(source) : std::trunc(source);
    }
    return source;
}

/// Keys' cubic convolution kernel. Source: ONNX, Resize, cubic_coeff_a.
double cubic(double x, double a) {
    x = std::abs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    return 0;
}

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

/// The kernel that is applied to the input, how far it reaches and how much it is stretched.
struct Filter {
    ResizeMode mode;
    double cubicA;
    double stretch;  ///< 1, or more if the image shrinks and the filter suppresses aliases

    static Filter of(const ResizeForm& form, const ResizeAxis& axis) {
        const bool widens = form.antialiases && axis.scale < 1;
        return {form.mode, form.cubicA, widens ? 1 / static_cast<double>(axis.scale) : 1};
    }
    double reach() const { return (mode == ResizeMode::Cubic ? 2 : 1) * stretch; }
    double at(double distance) const {
        return mode == ResizeMode::Cubic ? cubic(distance / stretch, cubicA)
                                         : triangle(distance / stretch);
    }
    /// Elements that may have a weight, for any position.
    int64_t taps() const { return int64_t{2} * saturatedCast<int32_t>(std::ceil(reach())); }
};

/// Weights of the elements around `source`; those outside the image count for its border, or not
/// at all (exclude_outside).
void addFilterTaps(const ResizeForm& form, const Filter& filter, int64_t size, float source,
                   ResizeTaps& taps) {
    const auto begin = saturatedCast<int32_t>(std::floor(source)) + int64_t{1} - taps.count / 2;
    const size_t first = taps.weight.size();
    double total = 0;
    for (int64_t i = begin; i < begin + taps.count; ++i) {
        const bool isDropped = form.excludesOutside && (i < 0 || i >= size);
        const double weight =
            isDropped ? 0 : filter.at(static_cast<double>(i) - static_cast<double>(source));
        taps.index.push_back(std::clamp<int64_t>(i, 0, size - 1));
        taps.weight.push_back(weight);
        total += weight;
    }
    const bool isNormalized = form.excludesOutside || filter.stretch != 1;
    for (size_t i = first; isNormalized && total != 0 && i < taps.weight.size(); ++i) {
        taps.weight[i] /= total;
    }
}

void addNearestTap(const ResizeForm& form, const ResizeAxis& axis, float source, ResizeTaps& taps) {
    const float place = rounded(form.rounding, source, axis.scale < 1);
    const auto index = saturatedCast<int64_t>(place);
    taps.index.push_back(std::clamp<int64_t>(index, 0, axis.input - 1));
    taps.weight.push_back(1);
}

}  // namespace

bool ResizeTaps::isIdentity(int64_t input) const {
    const auto outputs = static_cast<int64_t>(isOutside.size());
    if (outputs != input) return false;
    for (int64_t o = 0; o < outputs; ++o) {
        if (isOutside[static_cast<size_t>(o)]) return false;
        for (auto k = static_cast<size_t>(o * count); k < static_cast<size_t>((o + 1) * count);
             ++k) {
            if (weight[k] != 0 && index[k] != o) return false;
        }
    }
    return true;
}

ResizeTaps resizeTaps(const ResizeForm& form, const ResizeAxis& axis) {
    ResizeTaps taps;
    const Filter filter = Filter::of(form, axis);
    if (form.mode != ResizeMode::Nearest) taps.count = filter.taps();
    if (axis.input == 0) return taps;
    requireMemory("The interpolation of " + counted(axis.output, "element") + " of an axis",
                  static_cast<double>(axis.output) * static_cast<double>(taps.count) *
                      (sizeof(int64_t) + sizeof(double)));
    const bool mayBeOutside = form.coordinates == ResizeCoordinates::TfCropAndResize;
    for (int64_t o = 0; o < axis.output; ++o) {
        const float source = sourceOf(form.coordinates, axis, o);
        const bool isInside = source >= 0 && source <= static_cast<float>(axis.input - 1);
        taps.isOutside.push_back(mayBeOutside && !isInside);
        if (form.mode == ResizeMode::Nearest) {
            addNearestTap(form, axis, source, taps);
        } else {
            addFilterTaps(form, filter, axis.input, source, taps);
        }
    }
    return taps;
}

}  // namespace temper
