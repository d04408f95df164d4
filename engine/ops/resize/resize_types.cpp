// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/resize/resize.h"
#include "engine/ops/resize/resize_plan.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

ResizeRequest requestOf(const InferenceContext& context, const ResizeForm& form) {
    const auto sizes = [&](size_t input) -> std::optional<std::vector<Dim>> {
        const auto content = context.content(input);
        if (!content) return std::nullopt;
        std::vector<Dim> dims;
        for (const SymbolicInt& size : *content) dims.push_back(size.toDim());
        return dims;
    };
    return ResizeRequest::of(
        context.node(), form, [&](size_t input) { return context.constant(input); }, sizes);
}

bool isConcrete(const ResizeRequest& request) {
    if (!request.isKnown) return false;
    if (!request.sizes) return request.scales.has_value();
    return concreteShape(*request.sizes).has_value();
}

Shape sizesOf(const std::vector<ResizeAxis>& axes) {
    Shape shape;
    for (const ResizeAxis& axis : axes) shape.push_back(axis.output);
    return shape;
}

void inferShape(InferenceContext& context) {
    const ResizeForm form = ResizeForm::of(context.node(), context.opset());
    if (form.scalesInput) requireFloating(context, *form.scalesInput);
    if (form.sizesInput) requireDType(context, *form.sizesInput, isIndex, "int32 or int64");
    if (form.roiInput) requireFloating(context, *form.roiInput);
    const ResizeRequest request = requestOf(context, form);
    const auto& input = context.shape(0);
    if (!input) return context.setOutput(0, context.dtype(0), std::nullopt);
    if (request.isKnown && !request.sizes && !request.scales) {
        context.fail("Neither 'scales' nor 'sizes' is given; expected one of them.",
                     "Add the scales or the sizes of the output.");
    }
    const auto known = concreteShape(*input);
    if (known && isConcrete(request)) {
        const Shape output = sizesOf(resizeAxes(form, request, *known));
        return context.setOutput(0, context.dtype(0), symbolicShape(output));
    }
    context.setOutput(0, context.dtype(0), resizedShape(form, request, *input));
}

void inferResize(InferenceContext& context) {
    try {
        inferShape(context);
    } catch (Error& error) {
        if (error.context().empty()) error.addContext(context.node().describe());
        throw;
    }
}

}  // namespace

void addResizeTypes(OpCatalog& catalog) {
    catalog.add({"", "Resize", inferResize, 1, 4, {1, 2, 3}});
    catalog.add({"", "Upsample", inferResize, 1, 2, {1}});
}

}  // namespace temper
