// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/core/process_memory.h"
#include "engine/training/opset/opset_table.h"

namespace temper {

namespace {

using Integers = std::vector<int64_t>;
using Parts = std::vector<Var>;

/// Gelu(x) = 0.5 x (1 + erf(x / sqrt 2)), or with tanh(sqrt(2/pi) (x + 0.044715 x^3)) for erf.
Parts geluOf(const LoweringContext& context) {
    const Var x = context.input(0);
    const auto number = [&](double value) { return scalarOf(context, value, x.dtype()); };
    Var curve;
    if (context.attribute<std::string>("approximate", "none") == "tanh") {
        const Var cubed = x * x * x * number(0.044715);
        curve = context.emitter().op("Tanh",
                                     {(x + cubed) * number(std::sqrt(2 * std::numbers::inv_pi))});
    } else {
        curve = context.emitter().op("Erf", {x / number(std::numbers::sqrt2)});
    }
    return {x * number(0.5) * (curve + number(1))};
}

/// Mish(x) = x tanh(softplus(x))
Parts mishOf(const LoweringContext& context) {
    const Var x = context.input(0);
    GradientEmitter& emitter = context.emitter();
    return {x * emitter.op("Tanh", {emitter.op("Softplus", {x})})};
}

/// HardSwish(x) = x max(0, min(1, x / 6 + 1 / 2))
Parts hardSwishOf(const LoweringContext& context) {
    const Var x = context.input(0);
    return {x * context.emitter().op("HardSigmoid", {x}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}})};
}

/// Celu(x) = max(0, x) + min(0, a (exp(x / a) - 1))
Parts celuOf(const LoweringContext& context) {
    const Var x = context.input(0);
    const auto number = [&](double value) { return scalarOf(context, value, x.dtype()); };
    const Var a = number(context.attribute<float>("alpha", 1.0F));
    const Var below = a * (exp(x / a) - number(1));
    GradientEmitter& emitter = context.emitter();
    return {emitter.op("Max", {x, number(0)}) + emitter.op("Min", {below, number(0)})};
}

/// x where it is above the threshold, else 0
Parts thresholdedReluOf(const LoweringContext& context) {
    const Var x = context.input(0);
    const Var threshold = scalarOf(context, context.attribute<float>("alpha", 1.0F), x.dtype());
    return {where(greater(x, threshold), x, scalarOf(context, 0, x.dtype()))};
}

Parts greaterOrEqualOf(const LoweringContext& context) {
    const Var a = context.input(0), b = context.input(1);
    return {context.emitter().op("Or", {greater(a, b), equal(a, b)})};
}

Parts lessOrEqualOf(const LoweringContext& context) {
    const Var a = context.input(0), b = context.input(1);
    return {context.emitter().op("Or", {less(a, b), equal(a, b)})};
}

Var meanOverAxes(Var x, const Integers& axes) {
    return x.emitter().op("ReduceMean", {x}, {{"axes", axes}, {"keepdims", int64_t{1}}});
}

/// Source: ONNX, Operators.md, LayerNormalization: the function body. The mean and the deviation
/// are computed in float32, whatever the type (stash_type).
Parts layerNormOf(const LoweringContext& context) {
    const auto shown = context.attribute<int64_t>("axis", -1);
    const int64_t rank = context.rank(0), first = normalizeAxis(shown, rank, "An axis");
    Integers axes(static_cast<size_t>(rank - first));
    std::iota(axes.begin(), axes.end(), first);
    const DType given = context.input(0).dtype();
    const auto stash = static_cast<DType>(context.attribute<int64_t>("stash_type", int64_t{1}));
    const DType inside = given == DType::Float64 ? given : stash;
    const auto as = [](Var x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); };
    const Var x = as(context.input(0), inside);
    const Var mean = meanOverAxes(x, axes), centred = x - mean;
    const Var epsilon = scalarOf(context, context.attribute<float>("epsilon", 1e-5F), inside);
    const Var deviation = sqrt(meanOverAxes(centred * centred, axes) + epsilon);
    Var y = as(centred / deviation, given) * context.input(1);
    if (context.hasInput(2)) y = y + context.input(2);
    Parts results = {y};
    if (context.wants(1) || context.wants(2)) results.push_back(mean);
    if (context.wants(2)) results.push_back(context.emitter().op("Reciprocal", {deviation}));
    return results;
}

/// Groups as the channels of an instance norm; scale and bias are by group until opset 20.
Parts groupNormOf(const LoweringContext& context) {
    const Var x = context.input(0);
    const auto groups = context.attribute<int64_t>("num_groups", 1);
    const Var rows = reshapeTo(x, {0, groups, -1});
    const Var norm =
        context.emitter().op("InstanceNormalization", {rows, context.input(1), context.input(2)},
                             {{"epsilon", context.attribute<float>("epsilon", 1e-5F)}});
    return {reshapeLike(norm, x)};
}

/// As a vector of channels that is broadcast over the following dimensions.
Var asChannels(Var perChannel, int64_t rank) {
    Integers axes(static_cast<size_t>(rank - 2));
    std::iota(axes.begin(), axes.end(), int64_t{1});
    return axes.empty() ? perChannel : unsqueeze(perChannel, axes);
}

/// Applies scale and bias by channel, as in opset 21, after a norm without them.
Parts groupNormByChannel(const LoweringContext& context) {
    const Var x = context.input(0);
    const auto groups = context.attribute<int64_t>("num_groups", 1);
    GradientEmitter& emitter = context.emitter();
    requireMemory("A number for each of " + std::to_string(groups) + " groups",
                  sizeof(double) * static_cast<double>(groups));
    const Tensor zeros(x.dtype(), {groups});
    std::vector<double> ones(static_cast<size_t>(groups), 1.0);
    const Tensor scale =
        Tensor::of<double>({groups}, std::span<const double>(ones)).cast(x.dtype());
    const Var norm = emitter.op(
        "GroupNormalization",
        {x, emitter.constant(scale, "scale"), emitter.constant(zeros, "bias")},
        {{"num_groups", groups}, {"epsilon", context.attribute<float>("epsilon", 1e-5F)}});
    const int64_t rank = context.rank(0);
    return {norm * asChannels(context.input(1), rank) + asChannels(context.input(2), rank)};
}

/// Repeats one number per group for each of its channels.
Var forEachChannel(Var perGroup, int64_t groups, int64_t channels) {
    const Var column = reshapeTo(perGroup, {groups, 1});
    const Var spread = expand(column, perGroup.emitter().integers({groups, channels / groups}));
    return reshapeTo(spread, {channels});
}

Parts groupNormFromGroups(const LoweringContext& context) {
    const auto groups = context.attribute<int64_t>("num_groups", 1);
    const int64_t channels = context.size(0, 1);
    return {context.emitter().op(
        "GroupNormalization",
        {context.input(0), forEachChannel(context.input(1), groups, channels),
         forEachChannel(context.input(2), groups, channels)},
        {{"num_groups", groups}, {"epsilon", context.attribute<float>("epsilon", 1e-5F)}})};
}

Parts castLikeOf(const LoweringContext& context) {
    return {cast(context.input(0), context.input(1).dtype())};
}

/// A mask of the elements that stay in the last two dimensions.
Parts triangleOf(const LoweringContext& context, int64_t wanted) {
    const int64_t rows = context.size(0, -2), columns = context.size(0, -1);
    const int64_t diagonal = std::clamp(wanted, -rows, columns);
    const bool isUpper = context.attribute<int64_t>("upper", 1) != 0;
    Tensor mask(DType::Bool, {rows, columns});
    const auto stays = mask.mutableValues<bool>();
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
            const int64_t at = column - row - diagonal;
            stays[static_cast<size_t>(row * columns + column)] = isUpper ? at >= 0 : at <= 0;
        }
    }
    const Var x = context.input(0);
    return {where(context.emitter().constant(mask, "mask"), x, scalarOf(context, 0, x.dtype()))};
}

template <Parts (*Rule)(const LoweringContext&)>
void by(OpsetEdit& edit) {
    edit.replaceBy(Rule);
}

void triangleByMask(OpsetEdit& edit) {
    const int64_t diagonal = edit.has(1) ? edit.integer(1, "diagonal") : 0;
    if (!edit.size(0, -1) || !edit.size(0, -2)) edit.refuse("the size of its input is unknown");
    edit.replaceBy(
        [diagonal](const LoweringContext& context) { return triangleOf(context, diagonal); });
}

void groupNormDown(OpsetEdit& edit) {
    edit.rank(0);
    edit.replaceBy(groupNormByChannel);
}

void groupNormUp(OpsetEdit& edit) {
    if (!edit.size(0, 1)) edit.refuse("the number of its channels is unknown");
    edit.replaceBy(groupNormFromGroups);
}

void layerNormDown(OpsetEdit& edit) {
    edit.rank(0);
    edit.replaceBy(layerNormOf);
}

}  // namespace

const std::vector<OpsetEntry>& opsetNewOperatorEntries() {
    static const std::vector<OpsetEntry> kEntries = {
        {"ThresholdedRelu", 10, nullptr, by<thresholdedReluOf>},
        {"Celu", 12, nullptr, by<celuOf>},
        {"GreaterOrEqual", 12, nullptr, by<greaterOrEqualOf>},
        {"LessOrEqual", 12, nullptr, by<lessOrEqualOf>},
        {"HardSwish", 14, nullptr, by<hardSwishOf>},
        {"Trilu", 14, nullptr, triangleByMask},
        {"CastLike", 15, nullptr, by<castLikeOf>},
        {"LayerNormalization", 17, nullptr, layerNormDown},
        {"GroupNormalization", 18, nullptr, by<groupNormOf>},
        {"GroupNormalization", 21, groupNormUp, groupNormDown},
        {"Mish", 18, nullptr, by<mishOf>},
        {"Gelu", 20, nullptr, by<geluOf>},
    };
    return kEntries;
}

}  // namespace temper
