// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/deform_conv.h"
#include "engine/ops/sampling/image_taps_gradient.h"
#include "engine/ops/sampling/sampling.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

/// The forward operator in terms of others: samples become the columns of a matrix by which the
/// weights are multiplied. Each step has its own gradient.
class DeformConvGradient {
public:
    explicit DeformConvGradient(const GradientContext& node)
        : node_(node), emitter_(node.emitter()), g_(geometryOf(node)), taps_(tapsOf()) {}

    Gradients of(Var dy) const {
        Gradients gradients(5);
        const Var features = shaped(dy, {-1, g_.group, g_.features / g_.group, g_.places()});
        if (node_.needs(1)) gradients[1] = weightGradient(features);
        if (node_.needs(3)) gradients[3] = sum(dy, {0, 2, 3}, false);
        if (!node_.needs(0) && !node_.needs(2) && !node_.needs(4)) return gradients;
        const Var masked = columnGradient(features);
        const Var samples = hasMask() ? masked * mask() : masked;
        if (node_.needs(0))
            gradients[0] =
                reshapeBack(transpose(taps_.imageGradient(samples), {0, 2, 1}), node_.input(0));
        if (node_.needs(2)) gradients[2] = offsetGradient(samples);
        if (node_.needs(4))
            gradients[4] = reshapeBack(sum(masked * taps_.values(), {2}, false), node_.input(4));
        return gradients;
    }

private:
    static Shape sizesOf(const GradientContext& node, size_t input, bool opensBatch) {
        const auto& shape = node.input(input).type().shape;
        SymbolicShape known = shape.value_or(SymbolicShape(4, Dim::unknown()));
        if (opensBatch && !known[0].isNumber()) known[0] = Dim::of(1);
        if (const auto sizes = concreteShape(known)) return *sizes;
        throw Error(ErrorCode::Unsupported,
                    "The gradient of " + node.node().describe() +
                        " needs the sizes of its images and weights, which are unknown.",
                    "Export the model with fixed image sizes.");
    }

    static DeformGeometry geometryOf(const GradientContext& node) {
        return DeformGeometry::of(node.node(), sizesOf(node, 0, true), sizesOf(node, 1, false));
    }

    bool hasMask() const { return node_.hasInput(4); }
    int64_t channels() const { return g_.channels / g_.offsetGroup; }
    int64_t samples() const { return g_.taps() * g_.places(); }
    Var shaped(Var x, const std::vector<int64_t>& shape) const {
        return reshape(x, emitter_.integers(shape));
    }
    Var mask() const { return shaped(node_.input(4), {-1, samples(), 1}); }

    /// Offset groups count as separate images: [N * groups, taps * places, 1].
    Var position(size_t axis) const {
        Tensor fixed(DType::Float64, {samples(), 1});
        for (int64_t i = 0; i < samples(); ++i) {
            fixed.mutableValues<double>()[static_cast<size_t>(i)] =
                static_cast<double>(g_.position(axis, i / g_.places(), i % g_.places()));
        }
        const Var offsets = shaped(node_.input(2), {-1, g_.taps(), 2, g_.places()});
        const Var along =
            emitter_.op("Gather", {offsets, emitter_.integers({static_cast<int64_t>(axis)})},
                        {{"axis", int64_t{2}}});
        return shaped(along, {-1, samples(), 1}) +
               emitter_.constant(fixed.cast(along.dtype()), "positions");
    }

    ImageTaps tapsOf() const {
        const Var images =
            transpose(shaped(node_.input(0), {-1, channels(), g_.plane()}), {0, 2, 1});
        const std::vector<Var> sizes = {emitter_.integers({g_.axes[0].input}),
                                        emitter_.integers({g_.axes[1].input})};
        return {images,
                {positionTaps(position(0), sizes[0]), positionTaps(position(1), sizes[1])},
                sizes};
    }

    /// [N, group, channels * taps, places]
    Var columns() const {
        const Var values = taps_.values();
        const Var masked = hasMask() ? values * mask() : values;
        return shaped(transpose(masked, {0, 2, 1}),
                      {-1, g_.group, g_.channels / g_.group * g_.taps(), g_.places()});
    }

    Var weightGradient(Var features) const {
        const Var perImage = matMul(features, transpose(columns(), {0, 1, 3, 2}));
        return reshapeBack(sum(perImage, {0}, false), node_.input(1));
    }

    /// The gradient of the masked samples, [N * groups, taps * places, channels].
    Var columnGradient(Var features) const {
        const Var weights = shaped(node_.input(1), {g_.group, g_.features / g_.group, -1});
        const Var gradient = matMul(transpose(weights, {0, 2, 1}), features);
        return transpose(shaped(gradient, {-1, channels(), samples()}), {0, 2, 1});
    }

    Var offsetGradient(Var samples) const {
        std::vector<Var> parts;
        for (const Var& part : taps_.coordinateGradients(samples))
            parts.push_back(shaped(part, {-1, g_.taps(), 1, g_.places()}));
        return reshapeBack(concat(parts, 2), node_.input(2));
    }

    const GradientContext& node_;
    GradientEmitter& emitter_;
    DeformGeometry g_;
    ImageTaps taps_;
};

Gradients deformConvGradient(const GradientContext& node) {
    return DeformConvGradient(node).of(node.outputGradient(0));
}

}  // namespace

void addDeformConvGradients(GradientRules& rules) {
    rules.add("", "DeformConv", deformConvGradient);
}

}  // namespace temper
