// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/regions/region_forms.h"

#include <string>
#include <vector>

#include "engine/core/counted.h"
#include "engine/core/error.h"

namespace temper {
namespace {

[[noreturn]] void fail(const Node& node, const std::string& message) {
    Error error(ErrorCode::InvalidInput, message);
    error.addContext(node.describe());
    throw error;
}

/// Whether a word is `yes` rather than `no`.
bool choice(const Node& node, const char* name, const std::string& yes, const std::string& no,
            const std::string& fallback) {
    const auto word = node.attribute<std::string>(name, fallback);
    if (word == yes || word == no) return word == yes;
    fail(node, "Attribute '" + std::string(name) + "' is '" + word + "'; expected " + yes + " or " +
                   no + ".");
}

void requirePositive(const Node& node, int64_t height, int64_t width) {
    if (height > 0 && width > 0) return;
    fail(node, "The output would have " + counted(height, "row") + " and " + std::to_string(width) +
                   " columns; expected at least one of each.");
}

/// Samples of a bin along an axis. Their number decides how long a run takes, regardless of the
/// sizes.
int64_t samplingRatioOf(const Node& node) {
    constexpr int64_t kMax = 256;
    const auto ratio = node.attribute<int64_t>("sampling_ratio", 0);
    if (ratio <= kMax) return ratio;
    fail(node, "Attribute 'sampling_ratio' is " + std::to_string(ratio) + "; expected at most " +
                   std::to_string(kMax) + ".");
}

}  // namespace

RoiAlignForm RoiAlignForm::of(const Node& node, int64_t opset) {
    RoiAlignForm form;
    form.height = node.attribute<int64_t>("output_height", 1);
    form.width = node.attribute<int64_t>("output_width", 1);
    requirePositive(node, form.height, form.width);
    form.samplingRatio = samplingRatioOf(node);
    form.spatialScale = node.attribute<float>("spatial_scale", 1.0F);
    form.takesMaximum = choice(node, "mode", "max", "avg", "avg");
    form.isHalfPixel = opset >= 16 && choice(node, "coordinate_transformation_mode", "half_pixel",
                                             "output_half_pixel", "half_pixel");
    return form;
}

MaxRoiPoolForm MaxRoiPoolForm::of(const Node& node) {
    const auto shape = node.attribute<std::vector<int64_t>>("pooled_shape", {});
    if (shape.size() != 2) {
        fail(node, "Attribute 'pooled_shape' has " + counted(shape.size(), "number") +
                       "; expected two, rows and columns.");
    }
    requirePositive(node, shape[0], shape[1]);
    return {shape[0], shape[1], node.attribute<float>("spatial_scale", 1.0F)};
}

}  // namespace temper
