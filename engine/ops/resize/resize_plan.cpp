// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/resize/resize_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/core/saturated_cast.h"

namespace temper {
namespace {

[[noreturn]] void failPlan(const Node& node, const std::string& message,
                           const std::string& hint = {}) {
    Error error(ErrorCode::InvalidInput, message, hint);
    error.addContext(node.describe());
    throw error;
}

/// The value of an attribute that is one of several words.
template <typename T>
T wordOf(const Node& node, const char* name, const std::string& fallback,
         std::initializer_list<std::pair<const char*, T>> words) {
    const auto word = node.attribute<std::string>(name, fallback);
    for (const auto& [text, value] : words) {
        if (word == text) return value;
    }
    failPlan(node, "Attribute '" + std::string(name) + "' is '" + word + "'; expected one of " +
                       joined(words, &std::pair<const char*, T>::first) + ".");
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

std::vector<float> floatsOf(const Tensor& tensor) {
    const Tensor single = tensor.cast(DType::Float32);
    const auto values = single.values<float>();
    return {values.begin(), values.end()};
}

std::vector<Dim> dimsOf(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Int64);
    std::vector<Dim> dims;
    for (const int64_t size : wide.values<int64_t>()) {
        if (size < 0) {
            throw Error(ErrorCode::InvalidInput, "Input 'sizes' holds " + std::to_string(size) +
                                                     "; expected sizes of 0 or more.");
        }
        dims.push_back(Dim::of(size));
    }
    return dims;
}

bool isGiven(const Node& node, std::optional<size_t> input) {
    return input && node.input(*input) != nullptr;
}

void requireLength(size_t found, size_t expected, const char* what) {
    if (found == expected) return;
    throw Error(ErrorCode::InvalidInput, "Input '" + std::string(what) + "' has " +
                                             counted(found, "element") + "; expected " +
                                             std::to_string(expected) + ", one for each axis.");
}

int64_t scaledSize(int64_t size, float scale) {
    constexpr float kLargest = 1e15F;  // far above what fits into memory
    return saturatedCast<int64_t>(std::floor(std::min(static_cast<float>(size) * scale, kLargest)));
}

void checkScale(float scale) {
    if (scale > 0) return;
    throw Error(ErrorCode::InvalidInput,
                "A scale is " + std::to_string(scale) + "; expected a number above 0.");
}

/// The one scale of all axes if the aspect ratio is kept.
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
        axis.output = saturatedCast<int64_t>(std::round(scale * static_cast<float>(axis.input)));
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

void ResizeRequest::requireFit(size_t axes) const {
    if (scales && sizes) {
        throw Error(ErrorCode::InvalidInput, "Both 'scales' and 'sizes' are given.",
                    "Omit one of them, or make it empty.");
    }
    if (roi) requireLength(roi->size(), 2 * axes, "roi");
    if (sizes) requireLength(sizes->size(), axes, "sizes");
    if (scales) requireLength(scales->size(), axes, "scales");
}

std::vector<ResizeAxis> resizeAxes(const ResizeForm& form, const ResizeRequest& request,
                                   const Shape& input) {
    const std::vector<int64_t> chosen = form.axesOf(input.size());
    std::vector<ResizeAxis> axes;
    for (const int64_t size : input) axes.push_back({size, size});
    request.requireFit(chosen.size());
    for (size_t i = 0; request.roi && i < chosen.size(); ++i) {
        axes[static_cast<size_t>(chosen[i])].roiStart = (*request.roi)[i];
        axes[static_cast<size_t>(chosen[i])].roiEnd = (*request.roi)[i + chosen.size()];
    }
    if (request.sizes) {
        setSizes(form, *request.sizes, chosen, axes);
    } else if (request.scales) {
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
    request.requireFit(chosen.size());
    for (size_t i = 0; i < chosen.size(); ++i) {
        Dim& dim = output[static_cast<size_t>(chosen[i])];
        if (request.sizes && form.aspectRatio == AspectRatio::Stretch) {
            dim = (*request.sizes)[i];
        } else if (request.scales) {
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

}  // namespace temper
