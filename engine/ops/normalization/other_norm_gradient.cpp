// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/normalization/channel_gradient.h"
#include "engine/ops/normalization/normalization.h"

namespace temper {
namespace {

using Axes = std::vector<int64_t>;

/// Mean over the axes, which are kept with size 1.
Var mean(Var x, const Axes& axes) {
    const Var total = sum(x, axes);
    int64_t count = x.type().shape ? 1 : -1;
    for (const int64_t axis : axes) {
        const Dim dim = count > 0 ? (*x.type().shape)[static_cast<size_t>(axis)] : Dim::unknown();
        count = dim.isNumber() && dim.value > 0 ? productOf(dim, count).value : -1;
    }
    if (count > 0) return total / static_cast<double>(count);
    return total / (cast(sizeOf(x), x.dtype()) / cast(sizeOf(total), x.dtype()));
}

/// x̂ = (x - mean) r with r = 1 / sqrt(variance + epsilon).
struct Standardized {
    Axes axes;
    Var normalized;
    Var inverse;

    static Standardized of(Var x, const Axes& axes, double epsilon) {
        const Var centered = x - mean(x, axes);
        const Var deviation = sqrt(mean(centered * centered, axes) + epsilon);
        const Var inverse = x.emitter().number(1, x.dtype()) / deviation;
        return {axes, centered * inverse, inverse};
    }
    /// dx = r (g - mean(g) - x̂ mean(g x̂)), g being the gradient of x̂.
    Var gradient(Var g) const {
        return inverse * (g - mean(g, axes) - normalized * mean(g * normalized, axes));
    }
};

/// [batch, channels, positions], for any number of spatial dimensions.
Var flattenSpatial(Var x) { return reshape(x, x.emitter().integers({0, 0, -1})); }

/// y = scale x̂ + bias, statistics per image and channel.
Gradients instanceNormGradient(const GradientContext& context) {
    const int64_t rank = rankOf(context);
    const Var dy = context.outputGradient(0);
    const double epsilon = static_cast<double>(context.attribute<float>("epsilon", 1e-5F));
    const auto x = Standardized::of(context.input(0), axesFrom(2, rank), epsilon);
    Gradients gradients(3);
    if (context.needs(0)) {
        gradients[0] = x.gradient(dy * perChannel(context.input(1), rank));
    }
    if (context.needs(1)) gradients[1] = channelSum(dy * x.normalized);
    if (context.needs(2)) gradients[2] = channelSum(dy);
    return gradients;
}

/// y = scale x̂ + bias, statistics per image and group of channels. All operations are on
/// [batch, groups, channels of a group, positions].
Gradients groupNormGradient(const GradientContext& context) {
    rankOf(context);
    const auto groups = context.attribute<int64_t>("num_groups", 1);
    const bool perGroup = context.opset() < 21;
    const auto& shape = context.input(0).type().shape;
    if (!(*shape)[1].isNumber()) {
        throw Error(ErrorCode::Unsupported,
                    "The gradient of " + context.node().describe() +
                        " needs the number of channels, which is unknown.",
                    "Export the model with fixed channels.");
    }
    GradientEmitter& emitter = context.emitter();
    const int64_t channels = quotientOf((*shape)[1], groups).value;
    const Var grouped = emitter.integers({0, groups, channels, -1});
    const Var dy = reshape(context.outputGradient(0), grouped);
    const double epsilon = static_cast<double>(context.attribute<float>("epsilon", 1e-5F));
    const auto x = Standardized::of(reshape(context.input(0), grouped), {2, 3}, epsilon);
    const Var scaleShape = emitter.integers({groups, perGroup ? 1 : channels, 1});
    const Axes summed = perGroup ? Axes{0, 2, 3} : Axes{0, 3};
    const auto perScale = [&](Var value) {
        return reshape(sum(value, summed, false), emitter.integers({-1}));
    };
    Gradients gradients(3);
    if (context.needs(0)) {
        const Var scaled = dy * reshape(context.input(1), scaleShape);
        gradients[0] = reshapeLike(x.gradient(scaled), context.input(0));
    }
    if (context.needs(1)) gradients[1] = perScale(dy * x.normalized);
    if (context.needs(2)) gradients[2] = perScale(dy);
    return gradients;
}

Gradients meanVarianceGradient(const GradientContext& context) {
    const int64_t rank = rankOf(context);
    Axes axes = context.attribute<Axes>("axes", {0, 2, 3});
    for (int64_t& axis : axes) axis = normalizeAxis(axis, rank, context.node().describe());
    const auto x = Standardized::of(context.input(0), axes, 1e-18);
    return {x.gradient(context.outputGradient(0))};
}

/// y = x / |x|  =>  dx = (dy - s sum(dy y)) / |x|, with s = y for p = 2 and sign(x) for p = 1.
Gradients lpNormalizationGradient(const GradientContext& context) {
    const int64_t axis =
        normalizeAxis(context.attribute<int64_t>("axis", -1), rankOf(context), "LpNormalization");
    const Var x = context.input(0), y = context.output(0), dy = context.outputGradient(0);
    const bool isL1 = context.attribute<int64_t>("p", 2) == 1;
    const Var norm = isL1 ? sum(abs(x), {axis}) : sqrt(sum(x * x, {axis}));
    const Var one = x.emitter().number(1, x.dtype());
    const Var divisor = where(equal(norm, x.emitter().number(0, x.dtype())), one, norm);
    return {(dy - (isL1 ? sign(x) : y) * sum(dy * y, {axis})) / divisor};
}

/// Mean over `size` neighbouring channels, missing ones counting as 0; `mirrored` for the adjoint.
Var channelWindowMean(Var x, int64_t size, bool mirrored) {
    GradientEmitter& emitter = x.emitter();
    const int64_t before = mirrored ? size / 2 : (size - 1) / 2;
    const Var columns = unsqueeze(flattenSpatial(x), {1});
    const Var pooled =
        emitter.op("AveragePool", {columns},
                   {{"count_include_pad", int64_t{1}},
                    {"kernel_shape", std::vector<int64_t>{size, 1}},
                    {"pads", std::vector<int64_t>{before, 0, size - 1 - before, 0}}});
    return reshapeLike(pooled, x);
}

/// y = x s^-beta with s = bias + alpha mean(x²):
/// dx = dy s^-beta - 2 alpha beta x mean'(dy y / s).
Gradients lrnGradient(const GradientContext& context) {
    const auto number = [&](const char* name, float fallback) {
        return static_cast<double>(context.attribute<float>(name, fallback));
    };
    rankOf(context);
    const auto size = context.attribute<int64_t>("size", 1);
    const double alpha = number("alpha", 1e-4F), beta = number("beta", 0.75F);
    const Var x = context.input(0), y = context.output(0), dy = context.outputGradient(0);
    const Var s = channelWindowMean(x * x, size, false) * alpha + number("bias", 1);
    const Var power = pow(s, x.emitter().number(-beta, x.dtype()));
    const Var spread = channelWindowMean(dy * y / s, size, true);
    return {dy * power - x * spread * (2 * alpha * beta)};
}

}  // namespace

void addOtherNormGradients(GradientRules& gradients) {
    gradients.add(kOnnxDomain, "InstanceNormalization", instanceNormGradient);
    gradients.add(kOnnxDomain, "GroupNormalization", groupNormGradient);
    gradients.add(kOnnxDomain, "MeanVarianceNormalization", meanVarianceGradient);
    gradients.add(kOnnxDomain, "LpNormalization", lpNormalizationGradient);
    gradients.add(kOnnxDomain, "LRN", lrnGradient);
}

}  // namespace temper
