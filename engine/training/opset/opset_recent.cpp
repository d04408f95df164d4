// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/core/checked.h"
#include "engine/training/opset/opset_table.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;
using Parts = std::vector<Var>;

/// x / sqrt(mean(x x) + epsilon) scale, computed in float32 whatever the type (stash_type).
Parts rmsNormOf(const LoweringContext& context) {
    const int64_t rank = context.rank(0);
    const int64_t first = normalizeAxis(context.attribute<int64_t>("axis", -1), rank, "An axis");
    Integers axes(static_cast<size_t>(rank - first));
    std::iota(axes.begin(), axes.end(), first);
    const Var x = context.input(0), scale = context.input(1);
    const auto stash = static_cast<DType>(context.attribute<int64_t>("stash_type", int64_t{1}));
    const DType inside = x.dtype() == DType::Float64 ? x.dtype() : stash;
    const auto as = [](Var value, DType dtype) {
        return value.dtype() == dtype ? value : cast(value, dtype);
    };
    const Var wide = as(x, inside);
    const Var mean = context.emitter().op(
        "ReduceMean", {wide * wide, context.emitter().integers(axes)}, {{"keepdims", int64_t{1}}});
    const Var epsilon = scalarOf(context, context.attribute<float>("epsilon", 1e-5F), inside);
    return {as(wide / sqrt(mean + epsilon), scale.dtype()) * scale};
}

void rmsNormDown(OpsetEdit& edit) {
    edit.rank(0);
    edit.replaceBy(rmsNormOf);
}

/// x sigmoid(a x)
Var swish(const LoweringContext& context, Var x) {
    const auto a = context.attribute<float>("alpha", 1.0F);
    return x * sigmoid(a == 1.0F ? x : x * scalarOf(context, a, x.dtype()));
}

Parts swishOf(const LoweringContext& context) { return {swish(context, context.input(0))}; }

/// Lowerings may use ONNX Runtime's name of a swish, which other runtimes do not know.
void byLowering(OpsetEdit& edit) {
    for (Node* node : edit.replaceByLowering()) {
        if (node->opType() == "QuickGelu" && node->domain() == kMicrosoftDomain)
            edit.of(node).replaceBy(swishOf);
    }
}

/// Opset 25 added a window of the keys, 24 the lengths of the sequences.
void attentionWithoutWindow(OpsetEdit& edit) {
    const auto isOpen = [&](const char* side) { return edit.attribute<int64_t>(side, -1) < 0; };
    if (!isOpen("left_window_size") || !isOpen("right_window_size")) return byLowering(edit);
    for (const char* side : {"left_window_size", "right_window_size"})
        edit.node()->removeAttribute(side);
}

void attentionWithoutLengths(OpsetEdit& edit) {
    constexpr size_t kLengths = 6;
    if (edit.has(kLengths)) byLowering(edit);
}

Parts swiGluOf(const LoweringContext& context) {
    return {swish(context, context.input(0)) * context.input(1)};
}

template <Parts (*Rule)(const LoweringContext&)>
void spelled(OpsetEdit& edit) {
    edit.replaceBy(Rule);
}

/// Blocks of columns and rows before the depth: [N, C, H / b, b, W / b, b] becomes [N, C, b, b, H /
/// b, W / b], then [N, C b b, H / b, W / b].
Parts depthLastOf(const LoweringContext& context) {
    const auto block = context.attribute<int64_t>("blocksize", 1);
    const int64_t channels = context.size(0, 1), height = context.size(0, 2),
                  width = context.size(0, 3);
    const int64_t rows = height / block, columns = width / block;
    const Var parts = reshapeTo(context.input(0), {0, channels, rows, block, columns, block});
    return {reshapeTo(transpose(parts, {0, 1, 3, 5, 2, 4}),
                      {0, checkedProduct(channels, block * block), rows, columns})};
}

void depthFirstOnly(OpsetEdit& edit) {
    if (edit.attribute<std::string>("mode", "DCR") != "DCR") {
        for (const int64_t axis : {1, 2, 3}) {
            if (!edit.size(0, axis)) edit.refuse("the size of its input is unknown");
        }
        return edit.replaceBy(depthLastOf);
    }
    edit.node()->removeAttribute("mode");
}

void modOfReals(OpsetEdit& edit) {
    const bool rounds = edit.attribute<int64_t>("fmod", 0) == 0;
    if (rounds && isFloating(edit.dtype(0))) {
        edit.refuse("it rounds down quotients of floating-point numbers");
    }
}

void roundUp(OpsetEdit& edit) { edit.dropAttribute("round_mode", std::string("up")); }
void stashSingle(OpsetEdit& edit) { edit.dropAttribute("stash_type", int64_t{1}); }

void quantizeInOnePrecision(OpsetEdit& edit) {
    if (edit.node()->opType() == "DequantizeLinear") {
        return edit.dropAttribute("output_dtype", int64_t{0});
    }
    edit.dropAttribute("precision", int64_t{0});
    if (edit.dtype(0) != edit.dtype(1) && edit.dtype(0) != DType::Int32) {
        edit.refuse("its scale and its input have different types");
    }
}

}  // namespace

const std::vector<OpsetEntry>& opsetRecentEntries() {
    static const std::vector<OpsetEntry> kEntries = {
        {"Attention", 23, nullptr, byLowering},
        {"Attention", 24, nullptr, attentionWithoutLengths},
        {"Attention", 25, nullptr, attentionWithoutWindow},
        {"Cast", 24, nullptr, roundUp},
        {"CastLike", 24, nullptr, roundUp},
        {"CausalConvWithState", 27, nullptr, byLowering},
        {"DequantizeLinear", 23, nullptr, quantizeInOnePrecision},
        {"LinearAttention", 27, nullptr, byLowering},
        {"Mod", 28, nullptr, modOfReals},
        {"QuantizeLinear", 23, nullptr, quantizeInOnePrecision},
        {"RMSNormalization", 23, nullptr, rmsNormDown},
        {"Range", 27, nullptr, stashSingle},
        {"RotaryEmbedding", 23, nullptr, byLowering},
        {"SpaceToDepth", 28, nullptr, depthFirstOnly},
        {"SwiGLU", 28, nullptr, spelled<swiGluOf>},
        {"Swish", 24, nullptr, spelled<swishOf>},
        {"TensorScatter", 24, nullptr, byLowering},
    };
    return kEntries;
}

}  // namespace temper
