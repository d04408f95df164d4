// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "engine/core/counted.h"
#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/attention/attention_ops.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

constexpr std::string_view kPreviewDomain = "ai.onnx.preview";

/// The type that scores and probabilities have.
DType scoreType(const Node& node, DType input) {
    const DType usual = input == DType::Float64 ? input : DType::Float32;
    return static_cast<DType>(
        node.attribute<int64_t>("softmax_precision", static_cast<int64_t>(usual)));
}

/// x as the body `attribute` of the node changes it, if there is one.
Var modified(const LoweringContext& node, const char* attribute, Var x) {
    if (!node.node().hasAttribute(attribute)) return x;
    GradientEmitter& emitter = node.emitter();
    const std::unique_ptr<Graph> body = bodyOf(node.node(), attribute).clone();
    body->info().opsetImports = emitter.graph().info().opsetImports;
    if (body->inputs().size() != 1 || body->outputs().size() != 1) {
        node.refuse("The body '" + std::string(attribute) + "' has " +
                        counted(body->inputs().size(), "input") + " and " +
                        counted(body->outputs().size(), "output") + "; expected one each.",
                    "Export the model again.");
    }
    body->inputs().front()->setType(x.type());
    for (const Finding& finding : inferTypes(*body, emitter.catalog())) {
        if (finding.severity == Severity::Error) node.refuse(finding.message, finding.hint);
    }
    const std::string prefix = node.node().output(0)->name() + "_" + attribute + "/";
    return {&emitter, inlineBody(emitter.graph(), *body, {x.value()}, prefix).front()};
}

/// y = prob_mod(softmax(score_mod(scale q k^T))) v
/// Source: ONNX, docs/Operators.md, FlexAttention.
std::vector<Var> lowerFlexAttention(const LoweringContext& node) {
    const AttentionForm form = AttentionForm::of(node.node());
    const AttentionHeads given = AttentionHeads::of(node, form), heads = given.widened();
    const DType dtype = scoreType(node.node(), given.q.dtype());
    const Var scores = modified(node, "score_mod", asType(heads.products(form.scale), dtype));
    const Var probabilities = modified(node, "prob_mod", softmaxOfRows(scores));
    return {asType(heads.chosen(probabilities), given.q.dtype())};
}

void inferFlexAttention(InferenceContext& context) {
    for (const size_t input : {0, 1, 2}) {
        requireFloating(context, input);
        requireSameDType(context, 0, input);
        requireRank(context, input, 4);
    }
    if (!isFloating(scoreType(context.node(), DType::Float32))) {
        context.fail(
            "Attribute 'softmax_precision' is not a floating-point type; expected 1, 10, 11 or "
            "16.");
    }
    SymbolicShape shape = context.shape(0).value_or(unknownDims(4));
    shape.back() = context.shape(2) ? context.shape(2)->back() : Dim::unknown();
    context.setOutput(0, context.dtype(0), shape);
}

}  // namespace

void registerFlexAttention(OpSet& ops) {
    addLowered(ops, {std::string(kPreviewDomain), "FlexAttention", inferFlexAttention, 3, 3, {}},
               lowerFlexAttention);
}

}  // namespace temper
