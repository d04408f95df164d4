// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/core/checked.h"
#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/conv/conv.h"
#include "engine/ops/sampling/deform_conv.h"
#include "engine/ops/sampling/sampling.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

void checkDivides(const InferenceContext& context, const char* name, const Dim& divided) {
    const auto parts = context.node().attribute<int64_t>(name, 1);
    if (mayDivide(parts, divided)) return;
    context.fail("Attribute '" + std::string(name) + "' is " + std::to_string(parts) +
                 "; expected a divisor of " + std::to_string(divided.value) + ".");
}

/// An input [batch, rows, output sizes], as far as its numbers are known.
void checkPerPlace(const InferenceContext& context, size_t input, int64_t rows,
                   const SymbolicShape& output) {
    requireRank(context, input, 4);
    if (!context.hasInput(input) || !context.shape(input)) return;
    const SymbolicShape& found = *context.shape(input);
    const SymbolicShape expected = {output[0], Dim::of(rows), output[2], output[3]};
    for (size_t i = 0; i < 4; ++i) {
        if (!found[i].isNumber() || !expected[i].isNumber() || found[i] == expected[i]) continue;
        context.fail("Input " + std::to_string(input) + " has the shape " + formatShape(found) +
                     "; expected " + formatShape(expected) + ".");
    }
}

void checkChannels(const InferenceContext& context, const Dim& channels, const Dim& expected) {
    const auto group = context.node().attribute<int64_t>("group", 1);
    if (!channels.isNumber() || !expected.isNumber()) return;
    const int64_t wanted = checkedProduct(expected.value, group);
    if (channels.value == wanted) return;
    context.fail("Input 0 has " + counted(channels.value, "channel") + "; the weights expect " +
                 std::to_string(wanted) + ".");
}

void inferDeformConv(InferenceContext& context) {
    requireFloating(context, 0);
    for (const size_t input : {1U, 2U, 3U, 4U}) requireSameDType(context, 0, input);
    requireRank(context, 0, 4);
    requireRank(context, 1, 4);
    if (!context.shape(0) || !context.shape(1))
        return context.setOutput(0, context.dtype(0), std::nullopt);
    const SymbolicShape &image = *context.shape(0), &weights = *context.shape(1);
    checkDivides(context, "group", weights[0]);
    checkDivides(context, "offset_group", image[1]);
    checkChannels(context, image[1], weights[1]);
    const WindowAttributes window = convWindow(context.node(), weights);
    const SymbolicShape spatial(image.begin() + 2, image.end());
    checkWindow(context, window, spatial);
    SymbolicShape output = {image[0], weights[0]};
    for (const Dim& dim : windowOutput(window, spatial)) output.push_back(dim);
    const int64_t taps = checkedProduct(context.node().attribute<int64_t>("offset_group", 1),
                                        checkedProduct(window.kernel.at(0), window.kernel.at(1)));
    checkPerPlace(context, 2, checkedProduct(2, taps), output);
    checkPerPlace(context, 4, taps, output);
    context.setOutput(0, context.dtype(0), std::move(output));
}

}  // namespace

void addDeformConvTypes(OpCatalog& catalog) {
    catalog.add({"", "DeformConv", inferDeformConv, 3, 5, {}});
}

}  // namespace temper
