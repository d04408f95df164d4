// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/fused/rotary.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Inputs.
constexpr size_t kQuery = 0;
constexpr size_t kKey = 1;
constexpr size_t kValue = 2;
constexpr size_t kPastKey = 3;
constexpr size_t kPastValue = 4;
constexpr size_t kLengths = 5;  ///< of each sequence with its past, less one
constexpr size_t kTotal = 6;    ///< the longest of them
constexpr size_t kCosines = 7;
constexpr size_t kSines = 8;
constexpr size_t kPositions = 9;  ///< of the queries, for the rotation
constexpr size_t kBias = 10;      ///< added to the scores
constexpr size_t kSinks =
    11;  ///< what each head may look at instead of a key: a score without a value
constexpr size_t kKeyScale = 12;
constexpr size_t kValueScale = 13;
constexpr size_t kQueryNorm = 14;  ///< scales of the queries' root mean squares
constexpr size_t kKeyNorm = 15;

/// Attributes of GroupQueryAttention.
struct GroupedForm {
    int64_t heads = 0;
    int64_t keyHeads = 0;
    std::optional<float> scale;
    float softcap = 0;
    int64_t window = -1;  ///< positions before its own that a query sees; -1: all
    bool isCausal = true;
    bool rotates = false;
    bool isInterleaved = false;
    bool isSmooth = false;  ///< the softmax has a score of 0 without a value
    float normEpsilon = 1e-6F;

    static GroupedForm of(const Node& node) {
        GroupedForm form;
        form.heads = node.attribute<int64_t>("num_heads", 0);
        form.keyHeads = node.attribute<int64_t>("kv_num_heads", 0);
        if (const auto scale = node.attribute<float>("scale", 0.0F); scale != 0) form.scale = scale;
        form.softcap = node.attribute<float>("softcap", 0.0F);
        form.window = node.attribute<int64_t>("local_window_size", -1);
        form.isCausal = node.attribute<int64_t>("causal", 1) != 0;
        form.rotates = node.attribute<int64_t>("do_rotary", 0) != 0;
        form.isInterleaved = node.attribute<int64_t>("rotary_interleaved", 0) != 0;
        form.isSmooth = node.attribute<int64_t>("smooth_softmax", 0) > 0;
        form.normEpsilon = node.attribute<float>("qk_norm_epsilon", 1e-6F);
        return form;
    }
};

void refuseWhatIsNotDone(const LoweringContext& node) {
    for (const char* name : {"sliding_window_cache", "qk_output"}) {
        if (node.attribute<int64_t>(name, 0) <= 0) continue;
        node.refuse("Attribute '" + std::string(name) + "' is not supported.",
                    "Export the model without it.");
    }
    for (const char* name : {"k_quant_type", "v_quant_type"}) {
        if (node.attribute<std::string>(name, "NONE") == "NONE") continue;
        node.refuse("Attribute '" + std::string(name) + "' requests a quantized cache.",
                    "Export the model with a cache of floating-point numbers.");
    }
    if (node.hasInput(kKeyScale) || node.hasInput(kValueScale)) {
        node.refuse("Inputs 'k_scale' and 'v_scale' belong to a quantized cache.",
                    "Export the model with a cache of floating-point numbers.");
    }
}

/// Queries, keys and values by head, of separate inputs or of one that holds all three.
AttentionHeads headsOf(const LoweringContext& node, const GroupedForm& form) {
    std::vector<Var> parts{node.input(kQuery), node.input(kKey), node.input(kValue)};
    if (!node.hasInput(kKey)) {
        const int64_t size = node.size(kQuery, 2) / (form.heads + 2 * form.keyHeads);
        parts = split(parts[0], 2, {form.heads * size, form.keyHeads * size, form.keyHeads * size});
    }
    return {splitHeads(parts[0], form.heads), splitHeads(parts[1], form.keyHeads),
            splitHeads(parts[2], form.keyHeads), form.heads != form.keyHeads};
}

Var asIndices(Var x, const std::vector<int64_t>& shape) {
    return asType(reshapeTo(x, shape), DType::Int64);
}

/// The positions of the sequences, their pasts and their queries.
class Places {
public:
    explicit Places(const LoweringContext& node) : node_(node) {
        fresh_ = sizeAlong(node.input(kQuery), 1);
        starts_ = startsOf();
        own_ = unsqueeze(starts_, {1}) + unsqueeze(countingTo(fresh_), {0});
    }

    /// The positions of the queries, [batch or 1, sequence].
    Var own() const { return own_; }
    /// How many positions of each sequence are filled, [batch or 1].
    Var filled() const { return starts_ + fresh_; }

    /// The cache with the new keys or values after the past of each sequence.
    /// Shapes: past [B, N, P, H], fresh [B, N, S, H]; the result has the longer of P and the
    /// total length.
    Var appended(Var past, Var fresh) const {
        GradientEmitter& emitter = node_.emitter();
        const Var room = sizeAlong(past, 2), length = lengthWith(room);
        const Var column = unsqueeze(countingTo(length), {0}), start = unsqueeze(starts_, {1});
        const Var isNew = logicalNot(less(column, start));
        const Var isFilled = less(column, unsqueeze(filled(), {1}));
        const Var from = where(logicalAnd(isNew, isFilled), column - start + room, column);
        const Var isThere = less(column, start + fresh_);
        // Positions past the end are taken from the first one and set to 0.
        const Var index = where(isThere, from, emitter.integers({0}));
        const Var shape =
            concat({sizeAlong(fresh, 0), sizeAlong(fresh, 1), length, sizeAlong(fresh, 3)}, 0);
        const Var taken = emitter.op(
            "GatherElements", {concat({past, fresh}, 2), expand(unsqueeze(index, {1, 3}), shape)},
            {{"axis", int64_t{2}}});
        return where(unsqueeze(isThere, {1, 3}), taken, numberLike(taken, 0));
    }

private:
    /// The longer of the cache and the longest sequence, [1]: a constant if both are known.
    Var lengthWith(Var room) const {
        const Value &total = *node_.input(kTotal).value(), &size = *room.value();
        if (!total.isInitializer() || !size.isInitializer()) {
            return node_.emitter().op("Max", {asIndices(node_.input(kTotal), {1}), room});
        }
        const int64_t longest = total.constant().toInt64();
        return node_.emitter().integers({std::max(longest, size.constant().toInt64())});
    }

    /// How much past each sequence has, [batch]; [1] of 0 if there is none. At the first call, the
    /// cache is allocated but empty.
    Var startsOf() const {
        GradientEmitter& emitter = node_.emitter();
        if (!node_.hasInput(kPastKey)) return emitter.integers({0});
        const Var total = asIndices(node_.input(kTotal), {1});
        const Var past = asIndices(node_.input(kLengths), {-1}) + emitter.integers({1}) - fresh_;
        return where(equal(total, fresh_), emitter.integers({0}), past);
    }

    const LoweringContext& node_;
    Var fresh_;  ///< how many positions are new, [1]
    Var starts_;
    Var own_;
};

void rotate(const LoweringContext& node, const GroupedForm& form, const Places& places,
            AttentionHeads& heads) {
    Rotation rotation;
    rotation.headSize = heads.q.shape().back().value;
    rotation.turned = 2 * node.size(kCosines, 1);
    rotation.isInterleaved = form.isInterleaved;
    const Var positions = node.hasInput(kPositions) ? node.input(kPositions) : places.own();
    const auto rows = [&](size_t table) {
        return unsqueeze(node.emitter().op("Gather", {node.input(table), positions}), {1});
    };
    const Var cosine = rows(kCosines), sine = rows(kSines);
    heads.q = turnedHeads(heads.q, rotation, cosine, sine);
    heads.k = turnedHeads(heads.k, rotation, cosine, sine);
}

/// The scores that count, as booleans that broadcast to [batch, heads, queries, keys].
Var seen(const GroupedForm& form, const Places& places, Var keys) {
    GradientEmitter& emitter = keys.emitter();
    const Var column = countingTo(sizeAlong(keys, 2));
    const Var own = unsqueeze(places.own(), {1, 3});
    if (!form.isCausal) return less(column, unsqueeze(places.filled(), {1, 2, 3}));
    const Var isPast = logicalNot(greater(column, own));
    if (form.window <= 0) return isPast;
    return logicalAnd(isPast, logicalNot(less(column, own - emitter.integers({form.window}))));
}

/// x / root mean square, times the scales of input `scales`, if these are given.
Var normalized(const LoweringContext& node, const GroupedForm& form, size_t scales, Var x) {
    if (!node.hasInput(scales)) return x;
    return node.emitter().op("SimplifiedLayerNormalization", {x, node.input(scales)},
                             {{"axis", int64_t{-1}}, {"epsilon", form.normEpsilon}});
}

/// The softmax of scores [batch, heads, queries, keys]; a sink, or 0 if the softmax is smooth,
/// counts as another key and takes its share.
Var probabilities(const LoweringContext& node, const GroupedForm& form, Var scores) {
    const bool hasSinks = node.hasInput(kSinks);
    if (!hasSinks && !form.isSmooth) return softmaxOfRows(scores);
    const Var zeros = slice(scores, 3, 0, 1) * 0.0;
    const Var sinks =
        hasSinks ? zeros + asType(reshapeTo(node.input(kSinks), {form.heads, 1, 1}), zeros.dtype())
                 : zeros;
    return slice(softmaxOfRows(concat({sinks, scores}, 3)), 3, 1,
                 std::numeric_limits<int64_t>::max());
}

/// Inputs: see above. Outputs: y, present key?, present value?. The results of queries in the
/// padding are undefined. Source: ONNX Runtime, docs/ContribOperators.md, GroupQueryAttention.
std::vector<Var> lowerGroupQueryAttention(const LoweringContext& node) {
    refuseWhatIsNotDone(node);
    const GroupedForm form = GroupedForm::of(node.node());
    const Places places(node);
    AttentionHeads heads = headsOf(node, form);
    heads.q = normalized(node, form, kQueryNorm, heads.q);
    heads.k = normalized(node, form, kKeyNorm, heads.k);
    if (form.rotates) rotate(node, form, places, heads);
    if (node.hasInput(kPastKey)) {
        heads.k = places.appended(node.input(kPastKey), heads.k);
        heads.v = places.appended(node.input(kPastValue), heads.v);
    }
    const AttentionHeads wide = heads.widened();
    Var scores = cappedScores(wide.products(form.scale), form.softcap);
    if (node.hasInput(kBias)) scores = scores + asType(node.input(kBias), scores.dtype());
    const Var masked = where(seen(form, places, heads.k), scores, lowestOf(scores));
    const Var y = asType(wide.chosen(probabilities(node, form, masked)), heads.q.dtype());
    return {joinHeads(y), heads.k, heads.v};
}

void checkGroups(const InferenceContext& context, const GroupedForm& form) {
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    const bool areCounts = form.heads > 0 && form.heads <= kMax && form.keyHeads > 0;
    if (areCounts && form.heads % form.keyHeads == 0) return;
    context.fail("Attribute 'num_heads' is " + std::to_string(form.heads) + " and 'kv_num_heads' " +
                     std::to_string(form.keyHeads) + "; expected a multiple of the latter.",
                 "Export the model again: an attribute is wrong or missing.");
}

void checkTables(const InferenceContext& context, const GroupedForm& form) {
    if (!form.rotates) return;
    for (const size_t table : {kCosines, kSines}) {
        requireRank(context, table, 2);
        if (context.hasInput(table)) continue;
        context.fail("Attribute 'do_rotary' is 1 and a table of cosines or sines is missing.",
                     "Feed cos_cache and sin_cache.");
    }
}

/// The size of a head, of separate or of packed queries.
Dim headSize(const InferenceContext& context, const GroupedForm& form) {
    const Dim last = context.shape(kQuery) ? context.shape(kQuery)->back() : Dim::unknown();
    if (!last.isNumber()) return Dim::unknown();
    const int64_t heads = context.hasInput(kKey) ? form.heads : form.heads + 2 * form.keyHeads;
    if (mayDivide(heads, last)) return quotientOf(last, heads);
    context.fail("The last dimension of the query is " + std::to_string(last.value) +
                     "; expected a multiple of the number of heads, " + std::to_string(heads) + ".",
                 "Check num_heads and kv_num_heads.");
}

void inferGroupQueryAttention(InferenceContext& context) {
    const GroupedForm form = GroupedForm::of(context.node());
    checkGroups(context, form);
    requireFloating(context, kQuery);
    for (const size_t i : {kKey, kValue, kPastKey, kPastValue, kCosines, kSines, kBias, kSinks,
                           kQueryNorm, kKeyNorm}) {
        requireSameDType(context, kQuery, i);
    }
    for (const size_t i : {kQuery, kKey, kValue}) requireRank(context, i, 3);
    for (const size_t i : {kPastKey, kPastValue}) requireRank(context, i, 4);
    for (const size_t i : {kLengths, kTotal}) {
        requireDType(context, i, isIndex, "int32");
    }
    checkTables(context, form);
    const SymbolicShape query = context.shape(kQuery).value_or(unknownDims(3));
    const Dim size = headSize(context, form);
    const Dim hidden = size.isNumber() ? productOf(size, form.heads) : Dim::unknown();
    context.setOutput(0, context.dtype(0), SymbolicShape{query[0], query[1], hidden});
    const Dim keys = context.hasInput(kPastKey) ? Dim::unknown() : query[1];
    const SymbolicShape present{query[0], Dim::of(form.keyHeads), keys, size};
    context.setOutput(1, context.dtype(0), present);
    context.setOutput(2, context.dtype(0), present);
}

}  // namespace

void registerGroupedAttention(OpSet& ops) {
    OpInfo info = microsoftOp("GroupQueryAttention", inferGroupQueryAttention, 7, 16);
    info.nonDifferentiableInputs = {kCosines, kSines};
    addLowered(ops, std::move(info), lowerGroupQueryAttention);
}

}  // namespace temper
