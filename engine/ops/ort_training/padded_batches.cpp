// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/ops/lowered_op.h"
#include "engine/ops/ort_training/ort_training.h"

namespace temper {
namespace {

/// The shape of x without its first dimensions, as int64.
Var tailOfShape(Var x, int64_t dropped) {
    return slice(shapeOf(x), 0, dropped, std::numeric_limits<int64_t>::max());
}

/// Zeros of a shape.
Var zeros(Var shape, DType dtype) {
    const Tensor zero = Tensor::of<float>({1}, {0}).cast(dtype);
    return shape.emitter().op("ConstantOfShape", {shape}, {{"value", zero}});
}

/// The rows go to their places among M1 M2 rows of zeros.
std::vector<Var> lowerPadAndUnflatten(const LoweringContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var x = node.input(0);
    const Var dims = cast(node.input(2), DType::Int64);
    const Var count = slice(dims, 0, 0, 1) * slice(dims, 0, 1, 2);
    const Var tail = tailOfShape(x, 1);
    const Var places = unsqueeze(cast(node.input(1), DType::Int64), {1});
    const Var rows =
        emitter.op("ScatterND", {zeros(concat({count, tail}, 0), x.dtype()), places, x});
    return {reshape(rows, concat({dims, tail}, 0))};
}

/// The rows at these places of the flattened batch, and the dimensions that it had.
std::vector<Var> lowerFlattenAndUnpad(const LoweringContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var x = node.input(0);
    const Var rows = reshape(x, concat({emitter.integers({-1}), tailOfShape(x, 2)}, 0));
    const Var picked = emitter.op("Gather", {rows, node.input(1)}, {{"axis", int64_t{0}}});
    return {picked, slice(shapeOf(x), 0, 0, 2)};
}

}  // namespace

void registerPaddedBatches(OpSet& ops) {
    const std::string ms(kMicrosoftDomain);
    addLowered(ops, {ms, "PadAndUnflatten", inferPadAndUnflatten, 3, 3, {1, 2}},
               lowerPadAndUnflatten);
    addLowered(ops, {ms, "FlattenAndUnpad", inferFlattenAndUnpad, 2, 2, {1}}, lowerFlattenAndUnpad);
}

}  // namespace temper
