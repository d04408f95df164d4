// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/resize_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "engine/core/error.h"

namespace temper {
namespace {

[[noreturn]] void fail(const Node& node, const std::string& message, const std::string& hint = {}) {
    Error error(ErrorCode::InvalidInput, message, hint);
    error.addContext(node.describe());
    throw error;
}

/// The value of an attribute that is one of some words.
template <typename T>
T wordOf(const Node& node, const char* name, const std::string& fallback,
         std::initializer_list<std::pair<const char*, T>> words) {
    const auto word = node.attribute<std::string>(name, fallback);
    std::string expected;
    for (const auto& [text, value] : words) {
        if (word == text) return value;
        expected += (expected.empty() ? "" : ", ") + std::string(text);
    }
    fail(node, "Attribute '" + std::string(name) + "' is '" + word + "'; expected one of " +
                   expected + ".");
}

void readModernAttributes(const Node& node, ResizeForm& form) {
    using C = ResizeCoordinates;
    form.coordinates = wordOf<C>(node, "coordinate_transformation_mode", "half_pixel",
                                 {{"half_pixel", C::HalfPixel},
                                  {"half_pixel_symmetric", C::HalfPixelSymmetric},
                                  {"pytorch_half_pixel", C::PytorchHalfPixel},
                                  {"align_corners", C::AlignCorners},
                                  {"asymmetric", C::Asymmetric},
                                  {"tf_half_pixel_for_nn", C::TfHalfPixelForNearest},
                                  {"tf_crop_and_resize", C::TfCropAndResize}});
    using R = ResizeRounding;
    form.rounding = wordOf<R>(node, "nearest_mode", "round_prefer_floor",
                              {{"round_prefer_floor", R::PreferFloor},
                               {"round_prefer_ceil", R::PreferCeil},
                               {"floor", R::Floor},
                               {"ceil", R::Ceil}});
    using A = AspectRatio;
    form.aspectRatio = wordOf<A>(
        node, "keep_aspect_ratio_policy", "stretch",
        {{"stretch", A::Stretch}, {"not_larger", A::NotLarger}, {"not_smaller", A::NotSmaller}});
    form.cubicA = node.attribute<float>("cubic_coeff_a", -0.75F);
    form.excludesOutside = node.attribute<int64_t>("exclude_outside", 0) != 0;
    form.antialiases = node.attribute<int64_t>("antialias", 0) != 0;
    form.extrapolation = node.attribute<float>("extrapolation_value", 0.0F);
    form.axes = node.attribute<std::vector<int64_t>>("axes", {});
}

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

/// The kernel that is laid over the input, how far it reaches and how much it is stretched.
struct Filter {
    ResizeMode mode;
    double cubicA;
    double stretch;  ///< 1, or more where the image shrinks and the filter suppresses aliases

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
    int64_t taps() const { return 2 * static_cast<int64_t>(std::ceil(reach())); }
};

/// Weights of the elements around `source`; those outside the image count for its border, or not
/// at all (exclude_outside).
void addFilterTaps(const ResizeForm& form, const Filter& filter, int64_t size, float source,
                   ResizeTaps& taps) {
    const auto begin = static_cast<int64_t>(std::floor(source)) + 1 - taps.count / 2;
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
    const auto index = static_cast<int64_t>(place);
    taps.index.push_back(std::clamp<int64_t>(index, 0, axis.input - 1));
    taps.weight.push_back(1);
}

std::vector<float> floatsOf(const Tensor& tensor) {
    const Tensor single = tensor.cast(DType::Float32);
    const auto values = single.values<float>();
    return {values.begin(), values.end()};
}

std::vector<Dim> dimsOf(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Int64);
    std::vector<Dim> dims;
    for (const int64_t size : wide.values<int64_t>()) dims.push_back(Dim::of(size));
    return dims;
}

bool isGiven(const Node& node, std::optional<size_t> input) {
    return input && node.input(*input) != nullptr;
}

void requireLength(size_t found, size_t expected, const char* what) {
    if (found == expected) return;
    throw Error(ErrorCode::InvalidInput, "Input '" + std::string(what) + "' has " +
                                             std::to_string(found) + " elements; expected " +
                                             std::to_string(expected) + ", one for each axis.");
}

int64_t scaledSize(int64_t size, float scale) {
    return static_cast<int64_t>(std::floor(static_cast<float>(size) * scale));
}

void checkScale(float scale) {
    if (scale > 0) return;
    throw Error(ErrorCode::InvalidInput,
                "A scale is " + std::to_string(scale) + "; expected a number above 0.");
}

/// The one scale of all axes where the aspect ratio is kept.
float commonScale(const ResizeForm& form, const std::vector<ResizeAxis>& axes,
                  const std::vector<int64_t>& chosen) {
    std::vector<float> scales;
    for (const int64_t axis : chosen) scales.push_back(axes[static_cast<size_t>(axis)].scale);
    if (scales.empty()) return 1;
    return form.aspectRatio == AspectRatio::NotLarger ? *std::ranges::min_element(scales)
                                                      : *std::ranges::max_element(scales);
}

void setSizes(const ResizeForm& form, const std::vector<Dim>& sizes,
              const std::vector<int64_t>& chosen, std::vector<ResizeAxis>& axes) {
    for (size_t i = 0; i < chosen.size(); ++i) {
        ResizeAxis& axis = axes[static_cast<size_t>(chosen[i])];
        axis.output = sizes[i].value;
        axis.scale =
            axis.input == 0 ? 1 : static_cast<float>(axis.output) / static_cast<float>(axis.input);
    }
    if (form.aspectRatio == AspectRatio::Stretch) return;
    const float scale = commonScale(form, axes, chosen);
    for (const int64_t place : chosen) {
        ResizeAxis& axis = axes[static_cast<size_t>(place)];
        axis.scale = scale;
        axis.output = std::lround(scale * static_cast<float>(axis.input));
    }
}

}  // namespace

ResizeForm ResizeForm::of(const Node& node, int64_t opset) {
    using M = ResizeMode;
    ResizeForm form;
    form.mode = wordOf<M>(node, "mode", "nearest",
                          {{"nearest", M::Nearest},
                           {"linear", M::Linear},
                           {"bilinear", M::Linear},
                           {"cubic", M::Cubic},
                           {"bicubic", M::Cubic}});
    const bool isModern = node.opType() == "Resize" && opset >= 11;
    if (isModern) {
        readModernAttributes(node, form);
        form.roiInput = 1;
        form.scalesInput = 2;
        form.sizesInput = 3;
        return form;
    }
    form.coordinates = ResizeCoordinates::Asymmetric;
    form.rounding = ResizeRounding::Simple;
    if (!node.hasAttribute("scales")) form.scalesInput = 1;
    return form;
}

std::vector<int64_t> ResizeForm::axesOf(size_t rank) const {
    std::vector<int64_t> all(rank);
    std::iota(all.begin(), all.end(), 0);
    if (axes.empty()) return all;
    std::vector<int64_t> chosen;
    for (const int64_t axis : axes) {
        chosen.push_back(normalizeAxis(axis, static_cast<int64_t>(rank), "An axis of Resize"));
    }
    return chosen;
}

ResizeRequest ResizeRequest::of(const Node& node, const ResizeForm& form, const ReadTensor& read,
                                const ReadSizes& readSizes) {
    ResizeRequest request;
    request.scales = node.attribute<std::vector<float>>("scales");
    const auto readFloats = [&](std::optional<size_t> input) -> std::optional<std::vector<float>> {
        if (!isGiven(node, input)) return std::nullopt;
        const Tensor* data = read(*input);
        if (data == nullptr) request.isKnown = false;
        if (data == nullptr || data->numElements() == 0) return std::nullopt;
        return floatsOf(*data);
    };
    if (form.scalesInput) request.scales = readFloats(form.scalesInput);
    const bool readsRoi = form.coordinates == ResizeCoordinates::TfCropAndResize;
    if (readsRoi) request.roi = readFloats(form.roiInput);
    if (!isGiven(node, form.sizesInput)) return request;
    if (const Tensor* data = read(*form.sizesInput)) {
        if (data->numElements() > 0) request.sizes = dimsOf(*data);
        return request;
    }
    request.sizes = readSizes(*form.sizesInput);
    request.isKnown = request.isKnown && request.sizes.has_value();
    return request;
}

std::vector<ResizeAxis> resizeAxes(const ResizeForm& form, const ResizeRequest& request,
                                   const Shape& input) {
    const std::vector<int64_t> chosen = form.axesOf(input.size());
    std::vector<ResizeAxis> axes;
    for (const int64_t size : input) axes.push_back({size, size});
    if (request.roi) requireLength(request.roi->size(), 2 * chosen.size(), "roi");
    for (size_t i = 0; request.roi && i < chosen.size(); ++i) {
        axes[static_cast<size_t>(chosen[i])].roiStart = (*request.roi)[i];
        axes[static_cast<size_t>(chosen[i])].roiEnd = (*request.roi)[i + chosen.size()];
    }
    if (request.sizes) {
        requireLength(request.sizes->size(), chosen.size(), "sizes");
        setSizes(form, *request.sizes, chosen, axes);
    } else if (request.scales) {
        requireLength(request.scales->size(), chosen.size(), "scales");
        for (size_t i = 0; i < chosen.size(); ++i) {
            ResizeAxis& axis = axes[static_cast<size_t>(chosen[i])];
            axis.scale = (*request.scales)[i];
            checkScale(axis.scale);
            axis.output = scaledSize(axis.input, axis.scale);
            axis.brokenOutput = static_cast<float>(axis.input) * axis.scale;
        }
    }
    return axes;
}

SymbolicShape resizedShape(const ResizeForm& form, const ResizeRequest& request,
                           const SymbolicShape& input) {
    const std::vector<int64_t> chosen = form.axesOf(input.size());
    SymbolicShape output = input;
    if (request.sizes) requireLength(request.sizes->size(), chosen.size(), "sizes");
    if (request.scales && !request.sizes)
        requireLength(request.scales->size(), chosen.size(), "scales");
    for (size_t i = 0; i < chosen.size(); ++i) {
        Dim& dim = output[static_cast<size_t>(chosen[i])];
        if (request.sizes && form.aspectRatio == AspectRatio::Stretch) {
            dim = (*request.sizes)[i];
        } else if (request.scales && !request.sizes) {
            const float scale = (*request.scales)[i];
            checkScale(scale);
            if (dim.isNumber()) dim = Dim::of(scaledSize(dim.value, scale));
            if (!dim.isNumber() && scale != 1) dim = Dim::unknown();
        } else {
            dim = Dim::unknown();
        }
    }
    return output;
}

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
