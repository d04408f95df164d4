// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/grid_form.h"
#include "engine/ops/sampling/image_taps_gradient.h"
#include "engine/ops/sampling/sampling.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

/// Elements along an axis, as int64 [1].
Var sizeOfAxis(Var x, int64_t axis) {
    const Dim& dim = x.shape()[static_cast<size_t>(axis)];
    if (dim.isNumber()) return x.emitter().integers({dim.value});
    return x.emitter().op("Gather", {shapeOf(x), x.emitter().integers({axis})});
}

/// [N, C, ...] as [N, elements, C].
Var channelsLast(Var x) {
    return transpose(reshape(x, x.emitter().integers({0, 0, -1})), {0, 2, 1});
}

Var channelsFirst(Var gradient, Var x) { return reshapeBack(transpose(gradient, {0, 2, 1}), x); }

/// A sample is a sum of elements, each times a weight that depends on the position.
Gradients gridSampleGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var x = node.input(0), grid = node.input(1), sampled = node.outputGradient(0);
    if (!sampled) return {};
    const GridForm form = GridForm::of(node.node());
    if (!x.type().shape) {
        throw Error(ErrorCode::Unsupported,
                    "The gradient of " + node.node().describe() + " needs the rank of its images.",
                    "Export the model with known ranks.");
    }
    const int64_t axes = x.rank() - 2;
    const Var positions = reshape(grid, emitter.integers({0, -1, axes}));
    std::vector<AxisTaps> taps;
    std::vector<Var> sizes;
    for (int64_t axis = 0; axis < axes; ++axis) {
        const Var coordinate = emitter.op(
            "Gather", {positions, emitter.integers({axes - 1 - axis})}, {{"axis", int64_t{2}}});
        sizes.push_back(sizeOfAxis(x, axis + 2));
        taps.push_back(gridTaps(form, coordinate, sizes.back()));
    }
    const ImageTaps image(channelsLast(x), taps, sizes);
    const Var dy = channelsLast(sampled);
    Gradients gradients(2);
    if (node.needs(0)) gradients[0] = channelsFirst(image.imageGradient(dy), x);
    if (!node.needs(1)) return gradients;
    if (form.mode == GridMode::Nearest) {
        gradients[1] = zerosLike(grid);
        return gradients;
    }
    std::vector<Var> byCoordinate;
    for (const Var& gradient : image.coordinateGradients(dy))
        byCoordinate.insert(byCoordinate.begin(), unsqueeze(gradient, {2}));
    gradients[1] = reshapeBack(concat(byCoordinate, 2), grid);
    return gradients;
}

/// (x, y, [z,] 1) of each place, [places, coordinates + 1], if the size is known.
Tensor basePlaces(const Shape& sizes, bool alignsCorners) {
    const auto axes = static_cast<int64_t>(sizes.size());
    std::vector<std::vector<double>> along;
    for (const int64_t size : sizes) along.push_back(gridCoordinates(size, alignsCorners));
    Tensor places(DType::Float64, {numElements(sizes), axes + 1});
    const auto values = places.mutableValues<double>();
    for (int64_t i = 0; i < places.shape()[0]; ++i) {
        int64_t rest = i;
        for (int64_t axis = axes; axis-- > 0; rest /= sizes[static_cast<size_t>(axis)]) {
            const auto& line = along[static_cast<size_t>(axis)];
            values[static_cast<size_t>(i * (axes + 1) + axes - 1 - axis)] =
                line[static_cast<size_t>(rest % sizes[static_cast<size_t>(axis)])];
        }
        values[static_cast<size_t>(i * (axes + 1) + axes)] = 1;
    }
    return places;
}

/// The same from the grid of the identity matrix.
Var basePlacesAtRunTime(const GradientContext& node, int64_t axes) {
    GradientEmitter& emitter = node.emitter();
    const DType dtype = node.input(0).dtype();
    Tensor unit(DType::Float64, {1, axes, axes + 1});
    std::vector<int64_t> channelsAndSizes;
    for (int64_t i = 0; i < axes; ++i)
        unit.mutableValues<double>()[static_cast<size_t>(i * (axes + 2))] = 1;
    for (int64_t i = 1; i < axes + 2; ++i) channelsAndSizes.push_back(i);
    const Var rest = emitter.op("Gather", {node.input(1), emitter.integers(channelsAndSizes)});
    const Var grid = emitter.op(
        "AffineGrid",
        {emitter.constant(unit.cast(dtype), "unit"), concat({emitter.integers({1}), rest}, 0)},
        {{"align_corners", node.attribute<int64_t>("align_corners", 0)}});
    const Var places = reshape(grid, emitter.integers({-1, axes}));
    const Var ones =
        emitter.op("Gather", {places, emitter.integers({0})}, {{"axis", int64_t{1}}}) * 0.0 + 1.0;
    return concat({places, ones}, 1);
}

/// grid = places * transposed(theta)  =>  dtheta = transposed(dgrid) * places
Gradients affineGridGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const auto& shape = node.output(0).type().shape;
    const bool isGrid = shape && (shape->size() == 4 || shape->size() == 5);
    if (!isGrid) {  // or what a model declares wrongly
        throw Error(ErrorCode::Unsupported,
                    "The gradient of " + node.node().describe() +
                        " needs the number of dimensions of its grid.",
                    "Make the size an initializer.");
    }
    const auto axes = static_cast<int64_t>(shape->size()) - 2;
    const auto sizes = concreteShape(SymbolicShape(shape->begin() + 1, shape->end() - 1));
    const bool alignsCorners = node.attribute<int64_t>("align_corners", 0) != 0;
    const Var places =
        sizes ? emitter.constant(basePlaces(*sizes, alignsCorners).cast(node.input(0).dtype()),
                                 "places")
              : basePlacesAtRunTime(node, axes);
    const Var dy = reshape(node.outputGradient(0), emitter.integers({0, -1, axes}));
    return {matMul(transpose(dy, {0, 2, 1}), places)};
}

}  // namespace

void addGridGradients(GradientRules& rules) {
    rules.add("", "GridSample", gridSampleGradient);
    rules.add("", "AffineGrid", affineGridGradient);
}

}  // namespace temper
