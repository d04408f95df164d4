// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numeric>

#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/attention/attention_ops.h"
#include "engine/ops/lowered_op.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// All axes of a rank except these.
std::vector<int64_t> axesBut(int64_t rank, std::initializer_list<int64_t> left) {
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < rank; ++axis) {
        if (std::find(left.begin(), left.end(), axis) == left.end()) axes.push_back(axis);
    }
    return axes;
}

/// Places in the cache, broadcast to the shape of the update.
Var cachePlaces(const LoweringContext& node, int64_t axis) {
    const Var cache = node.input(0), update = node.input(1);
    Var places = countingTo(sizeAlong(update, axis));
    const bool haveStarts = node.hasInput(2);
    if (haveStarts) places = unsqueeze(node.input(2), {1}) + places;
    if (node.attribute<std::string>("mode", "linear") == "circular") {
        places = node.emitter().op("Mod", {places, sizeAlong(cache, axis)});
    }
    const int64_t rank = node.rank(1);
    const auto added = haveStarts ? axesBut(rank, {0, axis}) : axesBut(rank, {axis});
    return expandLike(unsqueeze(places, added), update);
}

/// Inputs: cache [B, ..., M, ...], update [B, ..., S, ...], starts [B]?. The update of each
/// sequence is written at its start, or wraps around at the end (circular).
std::vector<Var> lowerTensorScatter(const LoweringContext& node) {
    const int64_t axis =
        normalizeAxis(node.attribute<int64_t>("axis", -2), node.rank(0), "The axis");
    return {node.emitter().op("ScatterElements",
                              {node.input(0), cachePlaces(node, axis), node.input(1)},
                              {{"axis", axis}})};
}

void inferTensorScatter(InferenceContext& context) {
    requireSameDType(context, 0, 1);
    requireDType(context, 2, isIndex, "int64");
    requireRank(context, 2, 1);
    sameAsInput(context);
    const auto mode = context.node().attribute<std::string>("mode", "linear");
    if (mode != "linear" && mode != "circular") {
        context.fail("Attribute 'mode' is '" + mode + "'; expected 'linear' or 'circular'.");
    }
    const auto &cache = context.shape(0), &update = context.shape(1);
    if (!cache || !update) return;
    requireRank(context, 1, static_cast<int64_t>(cache->size()));
    const int64_t axis = requireAxis(context, context.node().attribute<int64_t>("axis", -2),
                                     static_cast<int64_t>(cache->size()));
    if (axis == 0) context.fail("The axis is the batch axis; expected another one.");
    for (size_t i = 0; i < cache->size(); ++i) {
        const Dim &whole = (*cache)[i], &part = (*update)[i];
        if (static_cast<int64_t>(i) != axis) mergeDims(context, whole, part, "Dimensions");
        if (whole.isNumber() && part.isNumber() && part.value > whole.value) {
            context.fail("The update has " + counted(part.value, "position") + " and the cache " +
                         std::to_string(whole.value) + "; expected an update that fits.");
        }
    }
}

/// x preceded by the last k - 1 numbers of the past, or by zeros.
Var withHistory(const LoweringContext& node, int64_t kernel) {
    const Var x = node.input(0);
    if (node.hasInput(3)) return concat({node.input(3), x}, 2);
    return node.emitter().op("Pad", {x, node.emitter().integers({0, 0, kernel - 1, 0, 0, 0})});
}

/// Inputs: x [B, C, L], w [C, 1, k], bias [C]?, past [B, C, k - 1]?. Outputs: y, present?.
std::vector<Var> lowerCausalConv(const LoweringContext& node) {
    const int64_t kernel = node.size(1, 2);
    const Var padded = withHistory(node, kernel);
    GradientEmitter& emitter = node.emitter();
    Var y =
        emitter.op("Conv", {padded, node.input(1), node.input(2)}, {{"group", node.size(1, 0)}});
    if (node.attribute<std::string>("activation", "none") != "none") {
        y = emitter.msOp("QuickGelu", {y}, {{"alpha", 1.0F}});
    }
    constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
    return {y, slice(padded, 2, kernel > 1 ? 1 - kernel : kEnd, kEnd)};
}

void inferCausalConv(InferenceContext& context) {
    requireFloating(context, 0);
    for (const size_t i : {1, 2, 3}) requireSameDType(context, 0, i);
    for (const size_t i : {0, 1, 3}) requireRank(context, i, 3);
    const auto activation = context.node().attribute<std::string>("activation", "none");
    if (activation != "none" && activation != "silu" && activation != "swish") {
        context.fail("Attribute 'activation' is '" + activation +
                     "'; expected 'none', 'silu' or 'swish'.");
    }
    sameAsInput(context);
    const auto &x = context.shape(0), &w = context.shape(1);
    SymbolicShape state = unknownDims(3);
    if (x) state = {(*x)[0], (*x)[1], Dim::unknown()};
    if (w) {
        state[1] = mergeDims(context, state[1], (*w)[0], "Channels and kernels");
        state[2] = sumOf((*w)[2], -1);
    }
    context.setOutput(1, context.dtype(0), state);
}

}  // namespace

void registerStateOps(OpSet& ops) {
    addLowered(ops, {"", "TensorScatter", inferTensorScatter, 2, 3, {2}}, lowerTensorScatter);
    addLowered(ops, {"", "CausalConvWithState", inferCausalConv, 2, 4, {}}, lowerCausalConv);
}

}  // namespace temper
