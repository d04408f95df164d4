// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/attention/attention_ops.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

constexpr size_t kQueries = 0, kKeys = 1, kValues = 2, kPast = 3, kDecay = 4, kBeta = 5;

struct LinearForm {
    int64_t queryHeads = 0;
    int64_t keyHeads = 0;
    bool isGated = false;      ///< the state decays
    bool isCorrected = false;  ///< the difference from the stored value is written (delta rule)

    static LinearForm of(const Node& node) {
        const auto rule = node.attribute<std::string>("update_rule", "gated_delta");
        return {node.attribute<int64_t>("q_num_heads", 0),
                node.attribute<int64_t>("kv_num_heads", 0), rule.starts_with("gated"),
                rule.ends_with("delta")};
    }
};

/// [batch, time, heads * size] to [time, batch, heads, size]: what the steps iterate over.
Var byStep(Var x, int64_t heads) {
    return transpose(reshapeTo(x, {0, 0, heads, -1}), {1, 0, 2, 3});
}

/// The body of the Scan under construction, and its inputs.
class StepBody {
public:
    explicit StepBody(const LoweringContext& node)
        : body_(emptyBody(node)),
          emitter_(*body_, node.emitter().catalog(), "step", /*isBackward=*/false) {}

    /// An input of the body: the state, or one step of what it scans.
    Var input(const char* name, Var outside, bool isScanned) {
        ValueType type = outside.type();
        if (isScanned) type.shape->erase(type.shape->begin());
        outside_.push_back(outside);
        return {&emitter_, body_->addInput(name, std::move(type))};
    }
    void output(Var value) { body_->addOutput(value.value()); }

    /// Runs over all steps. Returns: the last state, and the outputs of the steps.
    std::vector<Var> run(GradientEmitter& emitter) {
        const auto scanned = static_cast<int64_t>(outside_.size()) - 1;
        return emitter.add("", "Scan", outside_,
                           {{"body", std::shared_ptr<const Graph>(std::move(body_))},
                            {"num_scan_inputs", scanned}},
                           {true, true});
    }

private:
    static std::unique_ptr<Graph> emptyBody(const LoweringContext& node) {
        auto body = std::make_unique<Graph>();
        body->setName("step");
        body->info().opsetImports = node.emitter().graph().info().opsetImports;
        return body;
    }

    std::unique_ptr<Graph> body_;
    GradientEmitter emitter_;
    std::vector<Var> outside_;
};

/// One step: with the state S [batch, heads, key size, value size], the query q, key k and value v,
///     S <- exp(g) S                     gated
///     v <- beta (v - k S)               delta rule
///     S <- S + k^T v,  y = q S
void buildStep(StepBody& body, const LinearForm& form, const LoweringContext& node, Var start) {
    Var state = body.input("state", start, false);
    const auto heads = form.keyHeads;
    const auto scanned = [&](const char* name, size_t input, int64_t count) {
        return body.input(name, asType(byStep(node.input(input), count), start.dtype()), true);
    };
    const Var queries = scanned("query", kQueries, heads);
    const Var key = unsqueeze(scanned("key", kKeys, heads), {2});
    Var value = unsqueeze(scanned("value", kValues, heads), {2});
    if (form.isGated) state = state * unsqueeze(exp(scanned("decay", kDecay, heads)), {3});
    if (form.isCorrected) {
        const Dim& width = node.dim(kBeta, -1);
        const bool isShared = width.isNumber() && width.value == 1;
        const Var beta = unsqueeze(scanned("beta", kBeta, isShared ? 1 : heads), {3});
        value = beta * (value - matMul(key, state));
    }
    state = state + transpose(key, {0, 1, 3, 2}) * value;
    const int64_t keySize = node.size(kQueries, -1) / form.queryHeads;
    const Var rows = reshapeTo(queries, {0, 0, form.queryHeads / heads, keySize});
    body.output(state);
    body.output(matMul(rows, state));
}

/// Zeros, or the past state.
Var startOf(const LoweringContext& node, const LinearForm& form, DType dtype) {
    if (node.hasInput(kPast)) return asType(node.input(kPast), dtype);
    GradientEmitter& emitter = node.emitter();
    const int64_t keySize = node.size(kKeys, -1) / form.keyHeads,
                  valueSize = node.size(kValues, -1) / form.keyHeads;
    const Var shape = concat(
        {sizeAlong(node.input(kQueries), 0), emitter.integers({form.keyHeads, keySize, valueSize})},
        0);
    return expand(emitter.number(0, dtype), shape);
}

/// Inputs: queries [B, T, Hq K], keys [B, T, H K], values [B, T, H V], past [B, H, K, V]?, decay?,
/// beta?. Outputs: y [B, T, Hq V], present?.
/// Source: Yang et al., Gated Delta Networks (2024); ONNX, docs/Operators.md, LinearAttention.
std::vector<Var> lowerLinearAttention(const LoweringContext& node) {
    const LinearForm form = LinearForm::of(node.node());
    const DType own = node.input(kQueries).dtype();
    const DType inside = own == DType::Float64 ? own : DType::Float32;
    StepBody body(node);
    buildStep(body, form, node, startOf(node, form, inside));
    const std::vector<Var> results = body.run(node.emitter());
    const int64_t keySize = node.size(kQueries, -1) / form.queryHeads;
    double scale = static_cast<double>(node.attribute<float>("scale", 0.0F));
    if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(keySize));
    // [time, batch, heads, share, size] to [batch, time, the rest].
    const Var rows = transpose(results[1] * scale, {1, 0, 2, 3, 4});
    const Var y = reshapeTo(rows, {0, 0, -1});
    const DType stateType = node.hasInput(kPast) ? node.input(kPast).dtype() : own;
    return {asType(y, own), asType(results[0], stateType)};
}

void requireInput(const InferenceContext& context, size_t input, const char* name, bool isWanted) {
    if (context.hasInput(input) == isWanted) return;
    const auto rule = context.node().attribute<std::string>("update_rule", "gated_delta");
    context.fail("The update rule '" + rule + "' " + (isWanted ? "needs" : "does not take") +
                 " the input " + name + ".");
}

void requireRule(const InferenceContext& context, const LinearForm& form) {
    const auto rule = context.node().attribute<std::string>("update_rule", "gated_delta");
    if (rule != "linear" && rule != "gated" && rule != "delta" && rule != "gated_delta") {
        context.fail("Attribute 'update_rule' is '" + rule +
                     "'; expected 'linear', 'gated', 'delta' or 'gated_delta'.");
    }
    if (form.keyHeads < 1 || form.queryHeads < 1 || form.queryHeads % form.keyHeads != 0) {
        context.fail("The queries have " + counted(form.queryHeads, "head") + ", the keys " +
                     std::to_string(form.keyHeads) + "; expected a positive multiple.");
    }
    requireInput(context, kDecay, "decay", form.isGated);
    requireInput(context, kBeta, "beta", form.isCorrected);
}

void inferLinearAttention(InferenceContext& context) {
    requireFloating(context, kQueries);
    for (const size_t i : {kKeys, kValues, kDecay, kBeta}) {
        requireSameDType(context, kQueries, i);
        requireRank(context, i, 3);
    }
    requireRank(context, kQueries, 3);
    requireRank(context, kPast, 4);
    const LinearForm form = LinearForm::of(context.node());
    requireRule(context, form);
    const auto sizeOf = [&](size_t input, int64_t heads) {
        const auto& shape = context.shape(input);
        if (!shape || !shape->back().isNumber()) return Dim::unknown();
        if (mayDivide(heads, shape->back())) return quotientOf(shape->back(), heads);
        context.fail("Input " + std::to_string(input) + " has the shape " + formatShape(*shape) +
                     "; expected a last dimension that " + counted(heads, "head") + " can share.");
    };
    const Dim keySize = mergeDims(context, sizeOf(kKeys, form.keyHeads),
                                  sizeOf(kQueries, form.queryHeads), "The sizes of the heads");
    const Dim valueSize = sizeOf(kValues, form.keyHeads);
    const auto& q = context.shape(kQueries);
    const Dim batch = q ? (*q)[0] : Dim::unknown(), time = q ? (*q)[1] : Dim::unknown();
    const Dim hidden =
        valueSize.isNumber() ? productOf(valueSize, form.queryHeads) : Dim::unknown();
    context.setOutput(0, context.dtype(kQueries), SymbolicShape{batch, time, hidden});
    const DType state = context.hasInput(kPast) ? context.dtype(kPast) : context.dtype(kQueries);
    context.setOutput(1, state, SymbolicShape{batch, Dim::of(form.keyHeads), keySize, valueSize});
}

}  // namespace

void registerLinearAttention(OpSet& ops) {
    addLowered(ops, {"", "LinearAttention", inferLinearAttention, 3, 6, {}}, lowerLinearAttention);
}

}  // namespace temper
