// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/rearranging/rearranging.h"
#include "engine/ops/rearranging/rearranging_forms.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

void inferMaxUnpool(InferenceContext& context) {
    requireDType(context, 1, isIndex, "int64");
    const auto& input = context.shape(0);
    if (input && context.shape(1) && input->size() != context.shape(1)->size()) {
        context.fail("Values " + formatShape(*input) + " and indices " +
                     formatShape(*context.shape(1)) + " differ in shape.");
    }
    if (input && input->size() < 3) {
        context.fail("Input 0 has the shape " + formatShape(*input) +
                         "; expected [batch, channels, spatial...].",
                     "Export the model with a batch and a channel dimension.");
    }
    if (context.hasInput(2))
        return context.setOutput(0, context.dtype(0), shapeFromInput(context, 2));
    if (!input) return context.setOutput(0, context.dtype(0), std::nullopt);
    SymbolicShape output(input->begin(), input->begin() + 2);
    for (const Dim& dim : unpooledSpatial(context.node(), {input->begin() + 2, input->end()}))
        output.push_back(dim);
    context.setOutput(0, context.dtype(0), std::move(output));
}

/// Throws: Error(InvalidInput) saying `what` if one of the sizes is not positive, or their product
/// is too large.
int64_t productOf(const InferenceContext& context, const char* what,
                  const std::vector<int64_t>& sizes) {
    int64_t product = 1;
    for (const int64_t size : sizes) {
        if (size < 1 || product > std::numeric_limits<int64_t>::max() / size) {
            context.fail(std::string(what) + " is " + formatShape(sizes) +
                             "; expected positive numbers whose product fits into 64 bits.",
                         "Check image_shape, block_shape, strides, pads and dilations.");
        }
        product *= size;
    }
    return product;
}

Dim channelsOf(const InferenceContext& context, const std::vector<int64_t>& block) {
    const Dim& rows = (*context.shape(0))[1];
    const int64_t elements = productOf(context, "The size of a block", block);
    if (!rows.isNumber()) return Dim::unknown();
    if (mayDivide(elements, rows)) return quotientOf(rows, elements);
    context.fail("Input 0 has " + counted(rows.value, "row") + "; expected a multiple of the " +
                 counted(elements, "element") + " of a block.");
}

void checkBlockCount(const InferenceContext& context, const std::vector<int64_t>& image,
                     const std::vector<int64_t>& block) {
    const Dim& found = (*context.shape(0))[2];
    std::vector<int64_t> blocks;
    for (const WindowAxis& axis : columnBlocks(context.node(), image, block))
        blocks.push_back(axis.output);
    const int64_t expected = productOf(context, "The number of blocks along the axes", blocks);
    if (!found.isNumber() || found.value == expected) return;
    context.fail("Input 0 has " + counted(found.value, "column") + "; expected " +
                     std::to_string(expected) + ", one for each block of the image.",
                 "Check image_shape, strides, pads and dilations.");
}

void inferCol2Im(InferenceContext& context) {
    requireRank(context, 0, 3);
    const auto image = shapeFromInput(context, 1);
    const auto sizes = context.integers(1), block = context.integers(2);
    if (!context.shape(0) || !image) return context.setOutput(0, context.dtype(0), std::nullopt);
    if (block && sizes) checkBlockCount(context, *sizes, *block);
    SymbolicShape output = {(*context.shape(0))[0],
                            block ? channelsOf(context, *block) : Dim::unknown()};
    output.insert(output.end(), image->begin(), image->end());
    context.setOutput(0, context.dtype(0), std::move(output));
}

void inferCenterCropPad(InferenceContext& context) {
    const auto& input = context.shape(0);
    const auto wanted = shapeFromInput(context, 1);
    if (!input) return context.setOutput(0, context.dtype(0), std::nullopt);
    SymbolicShape output = *input;
    const std::vector<int64_t> axes = centeredAxes(context.node(), input->size());
    if (wanted && wanted->size() != axes.size()) {
        context.fail("Input 1 has " + counted(wanted->size(), "element") + "; expected " +
                     std::to_string(axes.size()) + ", one for each axis.");
    }
    for (size_t i = 0; i < axes.size(); ++i)
        output[static_cast<size_t>(axes[i])] = wanted ? (*wanted)[i] : Dim::unknown();
    context.setOutput(0, context.dtype(0), std::move(output));
}

}  // namespace

void addRearrangingTypes(OpCatalog& catalog) {
    catalog.add({"", "MaxUnpool", inferMaxUnpool, 2, 3, {1, 2}});
    catalog.add({"", "Col2Im", inferCol2Im, 3, 3, {1, 2}});
    catalog.add({"", "CenterCropPad", inferCenterCropPad, 2, 2, {1}});
}

}  // namespace temper
