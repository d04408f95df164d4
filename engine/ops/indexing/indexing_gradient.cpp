// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/indexing/indexing.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

Attributes axisOf(const GradientContext& node, int64_t fallback) {
    return {{"axis", node.attribute<int64_t>("axis", fallback)}};
}

/// y = x[indices]  =>  dx = zeros, to which each element of dy is added where it came from
Gradients gatherGradient(const GradientContext& node) {
    return {node.emitter().msOp("GatherGrad",
                                {knownShape(node.input(0)), node.input(1), node.outputGradient(0)},
                                axisOf(node, 0))};
}

Gradients gatherElementsGradient(const GradientContext& node) {
    return {node.emitter().msOp("GatherElementsGrad",
                                {node.outputGradient(0), knownShape(node.input(0)), node.input(1)},
                                axisOf(node, 0))};
}

Gradients gatherNDGradient(const GradientContext& node) {
    return {node.emitter().msOp("GatherNDGrad",
                                {knownShape(node.input(0)), node.input(1), node.outputGradient(0)},
                                {{"batch_dims", node.attribute<int64_t>("batch_dims", 0)}})};
}

/// The largest elements are gathered from x at the indices that TopK returns.
Gradients topKGradient(const GradientContext& node) {
    const Var dy = node.outputGradient(0);
    if (!dy) return {};
    return {node.emitter().msOp("GatherElementsGrad",
                                {dy, knownShape(node.input(0)), node.output(1)}, axisOf(node, -1))};
}

/// The gradient reads the indices, which a model may have left out.
void addIndicesOutput(Graph& graph, Node* node) {
    if (node->output(1) != nullptr) return;
    Value* indices =
        graph.addOutputTo(node, 1, graph.uniqueName(node->output(0)->name() + "_indices"));
    indices->setType({DType::Int64, node->output(0)->type().shape, false});
}

/// y = x with updates written at the indices  =>  dx = dy with zeros there, dupdates = dy there.
/// With reduction "add", x stays in the sum: dx = dy.
Gradients scatterGradient(const GradientContext& node, const char* scatter, const char* gather,
                          const Attributes& attributes) {
    GradientEmitter& emitter = node.emitter();
    const Var dy = node.outputGradient(0);
    const bool adds = node.attribute<std::string>("reduction", "none") == "add";
    Gradients gradients(3);
    if (node.needs(0)) {
        gradients[0] =
            adds ? dy
                 : emitter.op(scatter, {dy, node.input(1), zerosLike(node.input(2))}, attributes);
    }
    if (node.needs(2)) gradients[2] = emitter.op(gather, {dy, node.input(1)}, attributes);
    return gradients;
}

Gradients scatterElementsGradient(const GradientContext& node) {
    const bool isOld = node.opset() < 11;
    if (isOld && node.needs(2)) {
        throw Error(ErrorCode::Unsupported,
                    "Updates of Scatter have no gradient in opset " + std::to_string(node.opset()) +
                        ", which lacks GatherElements.",
                    "Export the model with opset 11 or later.");
    }
    return scatterGradient(node, isOld ? "Scatter" : "ScatterElements", "GatherElements",
                           axisOf(node, 0));
}

Gradients scatterNDGradient(const GradientContext& node) {
    return scatterGradient(node, "ScatterND", "GatherND", {});
}

std::optional<NonDifferentiable> checkReduction(const Node& node) {
    const auto reduction = node.attribute<std::string>("reduction", "none");
    if (reduction == "none" || reduction == "add") return std::nullopt;
    return NonDifferentiable{"its reduction '" + reduction + "' has no gradient here",
                             "use the reductions 'none' or 'add', or freeze the parameters before "
                             "it"};
}

}  // namespace

void addIndexingGradients(GradientRules& rules) {
    rules.add("", "Gather", gatherGradient);
    rules.add(kMicrosoftDomain, "ShrunkenGather", gatherGradient);
    rules.add("", "GatherElements", gatherElementsGradient);
    rules.add("", "GatherND", gatherNDGradient);
    rules.add("", "TopK", topKGradient);
    rules.addTrainingForm("", "TopK", addIndicesOutput);
    rules.add("", "Scatter", scatterElementsGradient);
    rules.add("", "ScatterElements", scatterElementsGradient);
    rules.add("", "ScatterND", scatterNDGradient);
    rules.addCheck("", "ScatterElements", checkReduction);
    rules.addCheck("", "ScatterND", checkReduction);
}

}  // namespace temper
