// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/training/opset/opset_table.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;
using Floats = std::vector<float>;

bool isNearest(const OpsetEdit& edit) {
    return edit.attribute<std::string>("mode", "nearest") == "nearest";
}

bool allAtLeastOne(const Floats& scales) {
    return std::ranges::all_of(scales, [](float scale) { return scale >= 1; });
}
bool allAtMostOne(const Floats& scales) {
    return std::ranges::all_of(scales, [](float scale) { return scale <= 1; });
}
bool areWhole(const Floats& scales) {
    return std::ranges::all_of(
        scales, [](float scale) { return scale >= 1 && scale == std::floor(scale); });
}

/// Resize replaced Upsample and does the same for scales of at least 1.
void upsampleToResize(OpsetEdit& edit) { edit.graph().setOpType(edit.node(), "Resize", ""); }

void resizeToUpsample(OpsetEdit& edit) {
    if (!allAtLeastOne(edit.floats(1, "scales"))) edit.refuse("it shrinks its input");
    edit.graph().setOpType(edit.node(), "Upsample", "");
}

/// Makes explicit what opset 10 leaves to the runtime, as ONNX Runtime does it: pixels are at whole
/// numbers, the nearest one is the one before, or after if the image shrinks.
void sayHowToResize(OpsetEdit& edit) {
    Node* node = edit.node();
    node->setAttribute("coordinate_transformation_mode", std::string("asymmetric"));
    if (isNearest(edit)) {
        const Floats scales = edit.floats(1, "scales");
        if (!allAtLeastOne(scales) && !allAtMostOne(scales)) {
            edit.refuse("it enlarges one axis and shrinks another");
        }
        node->setAttribute("nearest_mode", std::string(allAtLeastOne(scales) ? "floor" : "ceil"));
    }
    edit.moveInput(1, 2);
    edit.setConstant(1, "roi", Tensor(DType::Float32, {0}));
}

/// The scales, or those that result in the sizes.
Floats scalesOf(const OpsetEdit& edit) {
    const Tensor* scales = edit.constant(2);
    if (scales != nullptr && scales->numElements() > 0) return edit.floats(2, "scales");
    if (!edit.has(3)) return edit.floats(2, "scales");
    Floats result;
    for (const int64_t size : edit.integers(3, "sizes")) {
        const auto before = edit.size(0, static_cast<int64_t>(result.size()));
        if (!before || *before == 0) edit.refuse("the sizes of its input are unknown");
        result.push_back(static_cast<float>(size) / static_cast<float>(*before));
        if (std::floor(static_cast<float>(*before) * result.back()) == static_cast<float>(size)) {
            continue;
        }
        edit.refuse("no scale yields its sizes");
    }
    return result;
}

/// Whether it takes the same pixels as opset 10; for whole scales, the nearest pixel around the
/// centre of a pixel is the one before its edge.
bool takesSimplePixels(const OpsetEdit& edit, const Floats& scales) {
    const auto place = edit.attribute<std::string>("coordinate_transformation_mode", "half_pixel");
    const auto rounding = edit.attribute<std::string>("nearest_mode", "round_prefer_floor");
    if (!isNearest(edit)) {
        return place == "asymmetric" && edit.attribute<std::string>("mode", "") == "linear";
    }
    if (place == "asymmetric") {
        return (rounding == "floor" && allAtLeastOne(scales)) ||
               (rounding == "ceil" && allAtMostOne(scales));
    }
    return place == "half_pixel" && rounding.starts_with("round_prefer") && areWhole(scales);
}

void resizeSimply(OpsetEdit& edit) {
    const Floats scales = scalesOf(edit);
    if (!takesSimplePixels(edit, scales)) {
        edit.refuse("its interpolation has no older form");
    }
    for (const char* name : {"coordinate_transformation_mode", "nearest_mode", "cubic_coeff_a",
                             "exclude_outside", "extrapolation_value"}) {
        edit.node()->removeAttribute(name);
    }
    const Shape shape = {static_cast<int64_t>(scales.size())};
    edit.setConstant(1, "scales", Tensor::of<float>(shape, std::span<const float>(scales)));
    edit.keepInputs(2);
}

/// Regions and scales were required before opset 13.
void nameAllInputsOfResize(OpsetEdit& edit) {
    for (const size_t input : {size_t{1}, size_t{2}}) {
        if (!edit.has(input)) edit.setConstant(input, "none", Tensor(DType::Float32, {0}));
    }
}

/// Expands the scales or sizes of some axes to all axes.
void resizeAllAxes(OpsetEdit& edit, const Integers& axes) {
    const auto rank = static_cast<size_t>(edit.rank(0));
    if (edit.has(3)) {
        const Integers some = edit.integers(3, "sizes");
        Integers all;
        for (size_t axis = 0; axis < rank; ++axis) {
            all.push_back(edit.size(0, static_cast<int64_t>(axis)).value_or(0));
        }
        for (size_t i = 0; i < axes.size(); ++i) {
            all[static_cast<size_t>(edit.fromFront(axes[i]))] = some[i];
        }
        if (std::ranges::find(all, 0) != all.end()) {
            edit.refuse("the sizes of its input are unknown");
        }
        return edit.setIntegers(3, "sizes", all);
    }
    const Floats some = edit.floats(2, "scales");
    Floats all(rank, 1.0F);
    for (size_t i = 0; i < axes.size(); ++i) {
        all[static_cast<size_t>(edit.fromFront(axes[i]))] = some[i];
    }
    const Shape shape = {static_cast<int64_t>(rank)};
    edit.setConstant(2, "scales", Tensor::of<float>(shape, std::span<const float>(all)));
}

void resizeWithoutAxes(OpsetEdit& edit) {
    edit.dropAttribute("antialias", int64_t{0});
    edit.dropAttribute("keep_aspect_ratio_policy", std::string("stretch"));
    const auto axes = edit.attribute<Integers>("axes", {});
    edit.node()->removeAttribute("axes");
    if (axes.empty()) return;
    const auto place = edit.attribute<std::string>("coordinate_transformation_mode", "half_pixel");
    if (place == "tf_crop_and_resize") edit.refuse("it cuts out regions of some axes");
    resizeAllAxes(edit, axes);
}

void resizeNotSymmetric(OpsetEdit& edit) {
    const auto place = edit.attribute<std::string>("coordinate_transformation_mode", "half_pixel");
    if (place == "half_pixel_symmetric") edit.refuse("its pixels are half_pixel_symmetric");
}

/// GridSample's modes first had PyTorch's names.
void renameMode(OpsetEdit& edit, std::string_view ending, bool adds) {
    auto mode = edit.attribute<std::string>("mode", adds ? "linear" : "bilinear");
    if (adds && (mode == "linear" || mode == "cubic")) mode = "bi" + mode;
    if (!adds && mode.starts_with(ending)) mode = mode.substr(ending.size());
    edit.node()->setAttribute("mode", mode);
}

void gridModeWithoutBi(OpsetEdit& edit) { renameMode(edit, "bi", false); }

void gridModeWithBi(OpsetEdit& edit) {
    if (edit.rank(0) != 4) edit.refuse("it samples more than two dimensions");
    renameMode(edit, "bi", true);
}

void regionsAtOutputPixels(OpsetEdit& edit) {
    edit.node()->setAttribute("coordinate_transformation_mode", std::string("output_half_pixel"));
}

void regionsWithoutMode(OpsetEdit& edit) {
    const auto mode = edit.attribute<std::string>("coordinate_transformation_mode", "half_pixel");
    if (mode != "output_half_pixel") edit.refuse("its coordinates are those of " + mode);
    edit.node()->removeAttribute("coordinate_transformation_mode");
}

void poolNearPixels(OpsetEdit& edit) {
    const auto dilations = edit.attribute<Integers>("dilations", {});
    if (std::ranges::any_of(dilations, [](int64_t width) { return width != 1; })) {
        edit.refuse("its windows are dilated");
    }
    edit.node()->removeAttribute("dilations");
}

void poolWholeWindows(OpsetEdit& edit) { edit.dropAttribute("ceil_mode", int64_t{0}); }

void poolSimply(OpsetEdit& edit) {
    poolNearPixels(edit);
    poolWholeWindows(edit);
}

}  // namespace

const std::vector<OpsetEntry>& opsetImageEntries() {
    static const std::vector<OpsetEntry> kEntries = {
        {"Upsample", 10, upsampleToResize, nullptr},
        {"Resize", 10, nullptr, resizeToUpsample},
        {"Resize", 11, sayHowToResize, resizeSimply},
        {"Resize", 13, nullptr, nameAllInputsOfResize},
        {"Resize", 18, nullptr, resizeWithoutAxes},
        {"Resize", 19, nullptr, resizeNotSymmetric},
        {"GridSample", 20, gridModeWithoutBi, gridModeWithBi},
        {"RoiAlign", 16, regionsAtOutputPixels, regionsWithoutMode},
        {"AveragePool", 10, nullptr, poolWholeWindows},
        {"AveragePool", 19, nullptr, poolNearPixels},
        {"MaxPool", 10, nullptr, poolSimply},
        {"LpPool", 18, nullptr, poolSimply},
    };
    return kEntries;
}

}  // namespace temper
