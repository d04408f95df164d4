// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/legacy/legacy.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// What is left of one dimension: `size` elements, or all but the borders.
Dim croppedDim(const InferenceContext& context, const Dim& dim, int64_t borders, int64_t begin,
               int64_t size) {
    const int64_t needed = size > 0 ? begin + size : borders;
    if (dim.isNumber() && dim.value < needed) {
        context.fail("A dimension of " + std::to_string(dim.value) +
                         " can't be cropped; expected at least " + std::to_string(needed) + ".",
                     "Check the attributes 'border' and 'scale'.");
    }
    if (size > 0) return Dim::of(size);
    if (borders == 0) return dim;
    return sumOf(dim, -borders);
}

}  // namespace

void inferCrop(InferenceContext& context) {
    requireRank(context, 0, 4);
    const CropWindow crop = CropWindow::of(context.node());
    SymbolicShape shape = context.shape(0).value_or(unknownDims(4));
    shape[2] = croppedDim(context, shape[2], crop.top + crop.bottom, crop.top, crop.height);
    shape[3] = croppedDim(context, shape[3], crop.left + crop.right, crop.left, crop.width);
    context.setOutput(0, context.dtype(0), std::move(shape));
}

/// One number per channel is added.
void inferImageScaler(InferenceContext& context) {
    requireFloating(context, 0);
    const auto bias = context.node().attribute<std::vector<float>>("bias", {});
    requireRank(context, 0, 4);
    const auto& shape = context.shape(0);
    const bool fits =
        !shape || !(*shape)[1].isNumber() || (*shape)[1].value == static_cast<int64_t>(bias.size());
    if (!fits) {
        context.fail("Attribute 'bias' has " + counted(bias.size(), "number") +
                         "; expected one for each channel of " + formatShape(*shape) + ".",
                     "Check the model's input.");
    }
    sameAsInput(context);
}

}  // namespace temper
