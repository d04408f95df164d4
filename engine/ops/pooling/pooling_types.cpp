// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "engine/ops/pooling/pooling.h"

namespace temper {
namespace {

void requireRankOfImages(const InferenceContext& context, const SymbolicShape& shape) {
    if (shape.size() >= 3) return;
    context.fail(
        "Input 0 has the shape " + formatShape(shape) + "; expected [batch, channels, spatial...].",
        "Export the model with a batch and a channel dimension.");
}

/// False if the rank is unknown.
bool checkRank(const InferenceContext& context) {
    if (!context.shape(0)) return false;
    requireRankOfImages(context, *context.shape(0));
    return true;
}

/// Of a norm, if the operator has one.
void checkOrder(const InferenceContext& context) {
    const auto p = context.node().attribute<int64_t>("p", 2);
    if (p >= 1 && p <= std::numeric_limits<int32_t>::max()) return;
    context.fail("Attribute 'p' is " + std::to_string(p) + "; expected 1 or more.");
}

void inferPool(InferenceContext& context) {
    checkOrder(context);
    const DType dtype = context.dtype(0);
    std::optional<SymbolicShape> output;
    if (checkRank(context)) {
        const SymbolicShape& shape = *context.shape(0);
        const WindowAttributes window = WindowAttributes::of(context.node());
        if (window.kernel.empty()) {
            context.fail("Attribute 'kernel_shape' is missing.", "Add it: the operator needs it.");
        }
        const SymbolicShape spatial(shape.begin() + 2, shape.end());
        checkWindow(context, window, spatial);
        output = {shape[0], shape[1]};
        for (const Dim& dim : windowOutput(window, spatial)) output->push_back(dim);
    }
    context.setOutput(0, dtype, output);
    if (context.node().output(1) != nullptr) context.setOutput(1, DType::Int64, output);
}

void inferGlobalPool(InferenceContext& context) {
    checkOrder(context);
    if (!checkRank(context)) return context.setOutput(0, context.dtype(0), std::nullopt);
    SymbolicShape shape = *context.shape(0);
    std::fill(shape.begin() + 2, shape.end(), Dim::of(1));
    context.setOutput(0, context.dtype(0), std::move(shape));
}

/// The inputs do not determine the size of the images: it is that of the declared type of the
/// output, as in ORT. Batch and channels are those of the gradient.
void inferPoolGrad(InferenceContext& context) {
    const auto& gradient = context.shape(0);
    const Value* output = context.node().output(0);
    if (gradient) requireRankOfImages(context, *gradient);
    std::optional<SymbolicShape> shape = output == nullptr ? std::nullopt : output->type().shape;
    if (shape && gradient && shape->size() != gradient->size()) {
        context.fail("The gradient has the shape " + formatShape(*gradient) +
                     "; expected the rank of the output, " + formatShape(*shape) + ".");
    }
    if (shape && gradient) {
        const SymbolicShape spatial(shape->begin() + 2, shape->end());
        checkWindow(context, WindowAttributes::of(context.node()), spatial);
        std::copy_n(gradient->begin(), 2, shape->begin());
    }
    context.setOutput(0, context.dtype(0), std::move(shape));
}

}  // namespace

void addPoolingTypes(OpCatalog& catalog) {
    constexpr auto kFamily = OperatorFamily::Pooling;
    catalog.add({"", "MaxPool", inferPool, 1, 1}, {.family = kFamily, .keepsUnits = true});
    const OperatorFacts averages{.family = kFamily, .keepsUnits = true, .keepsClasses = true};
    catalog.add({"", "AveragePool", inferPool, 1, 1}, averages);
    catalog.add({"", "GlobalAveragePool", inferGlobalPool, 1, 1}, averages);
    catalog.add({"", "GlobalMaxPool", inferGlobalPool, 1, 1}, averages);
    catalog.add({"", "LpPool", inferPool, 1, 1}, {.family = kFamily});
    catalog.add({"", "GlobalLpPool", inferGlobalPool, 1, 1}, {.family = kFamily});
    catalog.add({"", "MaxPoolGrad", inferPoolGrad, 2, 2});
    catalog.add({"", "AveragePoolGrad", inferPoolGrad, 1, 1});
}

}  // namespace temper
