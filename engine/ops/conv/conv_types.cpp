// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/core/checked.h"
#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/conv/conv.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// Checks that both ranks fit; false if one is unknown.
bool checkRanks(const InferenceContext& context, size_t image, size_t weights) {
    if (!context.shape(image) || !context.shape(weights)) return false;
    const size_t rank = context.shape(image)->size();
    if (rank < 3) {
        context.fail("Input " + std::to_string(image) + " has the shape " +
                         formatShape(*context.shape(image)) +
                         "; expected [batch, channels, spatial...].",
                     "Export the model with a batch and a channel dimension.");
    }
    if (context.shape(weights)->size() != rank) {
        context.fail("The weights have the shape " + formatShape(*context.shape(weights)) +
                     "; expected rank " + std::to_string(rank) + ", that of the images.");
    }
    return true;
}

void checkChannels(const InferenceContext& context, const Dim& found, const Dim& expected,
                   int64_t factor) {
    if (!found.isNumber() || !expected.isNumber()) return;
    const int64_t channels = checkedProduct(expected.value, factor);
    if (found.value == channels) return;
    context.fail("Input 0 has " + counted(found.value, "channel") + "; the weights expect " +
                 std::to_string(channels) + ".");
}

int64_t checkedGroup(const InferenceContext& context, const Dim& divided) {
    const auto group = context.node().attribute<int64_t>("group", 1);
    if (mayDivide(group, divided)) return group;
    context.fail("Attribute 'group' is " + std::to_string(group) +
                 "; expected a divisor of the number of channels, " +
                 std::to_string(divided.value) + ".");
}

/// The kernel sizes of the weights and of the attribute must agree, if both are known.
void checkKernel(const InferenceContext& context, const WindowAttributes& window,
                 const SymbolicShape& weights) {
    for (size_t i = 0; i < window.kernel.size() && i + 2 < weights.size(); ++i) {
        const Dim& dim = weights[i + 2];
        if (!dim.isNumber() || dim.value == window.kernel[i]) continue;
        context.fail("Attribute 'kernel_shape' says " + std::to_string(window.kernel[i]) +
                     " for spatial dimension " + std::to_string(i) + "; the weights have " +
                     std::to_string(dim.value) + ".");
    }
}

void inferConv(InferenceContext& context) {
    if (!checkRanks(context, 0, 1))
        return context.setOutput(0, productDType(context), std::nullopt);
    const SymbolicShape &image = *context.shape(0), &weights = *context.shape(1);
    checkChannels(context, image[1], weights[1], checkedGroup(context, weights[0]));
    const WindowAttributes window = convWindow(context.node(), weights);
    const SymbolicShape spatial(image.begin() + 2, image.end());
    checkWindow(context, window, spatial);
    checkKernel(context, window, weights);
    SymbolicShape output = {image[0], weights[0]};
    for (const Dim& dim : windowOutput(window, spatial)) output.push_back(dim);
    context.setOutput(0, productDType(context), std::move(output));
}

void checkOutputList(const InferenceContext& context, const char* name) {
    for (const int64_t number : context.node().attribute<std::vector<int64_t>>(name, {})) {
        if (number >= 0 && number <= kLargestWindowNumber) continue;
        context.fail("Attribute '" + std::string(name) + "' holds " + std::to_string(number) +
                     "; expected numbers from 0 to " + std::to_string(kLargestWindowNumber) + ".");
    }
}

void inferConvTranspose(InferenceContext& context) {
    for (const char* name : {"output_padding", "output_shape"}) checkOutputList(context, name);
    if (!checkRanks(context, 0, 1))
        return context.setOutput(0, productDType(context), std::nullopt);
    const SymbolicShape &features = *context.shape(0), &weights = *context.shape(1);
    checkChannels(context, features[1], weights[0], 1);
    const int64_t group = checkedGroup(context, weights[0]);
    const WindowAttributes window = convWindow(context.node(), weights);
    checkWindow(context, window, SymbolicShape(features.size() - 2, Dim::unknown()));
    checkKernel(context, window, weights);
    SymbolicShape output = {features[0], productOf(weights[1], group)};
    for (size_t i = 2; i < features.size(); ++i) {
        const Dim& dim = features[i];
        if (!dim.isNumber() || dim.value > kLargestWindowNumber) {
            output.push_back(Dim::unknown());
            continue;
        }
        const int64_t size = transposedAxis(context.node(), window, i - 2, dim.value).input;
        if (size < 0) {
            context.fail("The padding removes more than the " + counted(dim.value, "element") +
                         " of spatial dimension " + std::to_string(i - 2) + ".");
        }
        output.push_back(Dim::of(size));
    }
    context.setOutput(0, productDType(context), std::move(output));
}

void inferConvGrad(InferenceContext& context) {
    const DType dtype = productDType(context);
    context.setOutput(0, dtype, context.shape(1));
    context.setOutput(1, dtype, context.shape(2));
    std::optional<SymbolicShape> bias;
    if (checkRanks(context, 1, 2)) bias = SymbolicShape{context.shape(2)->front()};
    context.setOutput(2, dtype, std::move(bias));
}

bool mayBeKernel(const Value* weight) {
    return weight != nullptr && (weight->type().rank() < 0 || weight->type().rank() >= 3);
}

/// Weight: [units, channels of a group, ...].
std::optional<UnitLayout> unitsOfConv(const Node& node) {
    return mayBeKernel(node.input(1)) ? std::optional(UnitLayout{0, 1}) : std::nullopt;
}

/// Weight: [channels, units of a group, ...].
std::optional<UnitLayout> unitsOfConvTranspose(const Node& node) {
    if (!mayBeKernel(node.input(1))) return std::nullopt;
    return UnitLayout{1, node.attribute<int64_t>("group", 1)};
}

OperatorFacts factsOf(std::optional<UnitLayout> (*unitLayout)(const Node&)) {
    return {.family = OperatorFamily::Convolution,
            .weightInputs = {1, 2},
            .unitLayout = unitLayout,
            .factors = {0, 1},
            .narrowGain = convNarrowGain};
}

}  // namespace

void addConvTypes(OpCatalog& catalog) {
    catalog.add({"", "Conv", inferConv, 2, 3}, factsOf(unitsOfConv));
    catalog.add({"", "ConvTranspose", inferConvTranspose, 2, 3}, factsOf(unitsOfConvTranspose));
    catalog.add({std::string(kMicrosoftDomain), "ConvGrad", inferConvGrad, 3, 3},
                {.factors = {0, 1, 2}, .narrowGain = convNarrowGain});
}

}  // namespace temper
