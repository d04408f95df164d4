// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/indexing/indexing.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

Attributes axisOf(const GradientContext& node, int64_t fallback) {
    return {{"axis", node.attribute<int64_t>("axis", fallback)}};
}

/// y = x[indices]  =>  dx = zeros, to which each element of dy is added at its index
Gradients gatherGradient(const GradientContext& node) {
    return {node.emitter().msOp("GatherGrad",
                                {knownShape(node.input(0)), node.input(1), node.outputGradient(0)},
                                axisOf(node, 0))};
}

/// Zeros like x, to which dy is added at these indices along an axis, or of the flattened x.
Var scattered(Var x, Var indices, Var dy, std::optional<int64_t> axis) {
    GradientEmitter& emitter = dy.emitter();
    if (axis) return emitter.msOp("GatherGrad", {knownShape(x), indices, dy}, {{"axis", *axis}});
    const Var count = reshape(sizeOf(x), emitter.integers({1}));
    const Var flat = emitter.msOp("GatherGrad", {count, indices, dy}, {{"axis", int64_t{0}}});
    return reshapeLike(flat, x);
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

/// The gradient reads the indices, which a model may omit.
void addIndicesOutput(Graph& graph, Node* node) {
    if (node->output(1) != nullptr) return;
    graph.addOutputTo(node, 1, graph.uniqueName(node->output(0)->name() + "_indices"));
}

/// The first of equal elements, or slices along an axis, is gathered from x at the indices that
/// Unique returns.
Gradients uniqueGradient(const GradientContext& node) {
    const Var x = node.input(0), dy = node.outputGradient(0);
    return {scattered(x, node.output(1), dy, node.node().attribute<int64_t>("axis"))};
}

/// y is v[1] at the index of each row and v[0] elsewhere  =>  dv = [sum of dy elsewhere, sum there]
Gradients oneHotGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var dy = node.outputGradient(0);
    const Var bits = emitter.constant(Tensor::of<double>({2}, {0, 1}).cast(dy.dtype()), "bits");
    const Var there =
        dy * emitter.op("OneHot", {node.input(0), node.input(1), bits}, axisOf(node, -1));
    const auto total = [](Var part) { return unsqueeze(sum(part, {}, false), {0}); };
    return {{}, {}, concat({total(dy - there), total(there)}, 0)};
}

/// The indices at which a constant condition is true; nullopt if it is unknown.
std::optional<std::vector<int64_t>> chosenIndices(const Node& node) {
    const Value* condition = node.input(1);
    if (condition == nullptr || !condition->isInitializer()) return std::nullopt;
    std::vector<int64_t> indices;
    const auto flags = condition->constant().values<bool>();
    for (size_t i = 0; i < flags.size(); ++i) {
        if (flags[i]) indices.push_back(static_cast<int64_t>(i));
    }
    return indices;
}

/// With a known condition, Compress is a Gather, of the flattened data if it has no axis.
void replaceByGather(Graph& graph, Node* node) {
    const auto indices = chosenIndices(*node);
    if (!indices) return;
    const std::string stem = node->output(0)->name();
    if (!node->hasAttribute("axis")) {
        Value* all =
            graph.addInitializer(graph.uniqueName(stem + "_all"), Tensor::of<int64_t>({1}, {-1}));
        const Node* flat =
            graph.addNode({"Reshape", {node->input(0), all}, {graph.uniqueName(stem + "_flat")}});
        graph.setInput(node, 0, flat->output(0));
        node->setAttribute("axis", int64_t{0});
    }
    const Shape shape = {static_cast<int64_t>(indices->size())};
    graph.setInput(
        node, 1,
        graph.addInitializer(graph.uniqueName(stem + "_indices"),
                             Tensor::of<int64_t>(shape, std::span<const int64_t>(*indices))));
    graph.setOpType(node, "Gather", "");
}

/// y = x where the condition is true  =>  dx = zeros with dy there
Gradients compressGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var indices = reshape(emitter.op("NonZero", {node.input(1)}), emitter.integers({-1}));
    return {scattered(node.input(0), indices, node.outputGradient(0),
                      node.node().attribute<int64_t>("axis"))};
}

}  // namespace

void addIndexingGradients(GradientRules& rules) {
    rules.add("", "Gather", gatherGradient);
    rules.add(kMicrosoftDomain, "ShrunkenGather", gatherGradient);
    rules.add("", "GatherElements", gatherElementsGradient);
    rules.add("", "GatherND", gatherNDGradient);
    rules.add("", "TopK", topKGradient);
    rules.addTrainingForm("", "TopK", addIndicesOutput);
    rules.add("", "Compress", compressGradient);
    rules.addTrainingForm("", "Compress", replaceByGather);
    rules.add("", "Unique", uniqueGradient);
    rules.addTrainingForm("", "Unique", addIndicesOutput);
    rules.add("", "OneHot", oneHotGradient);
    addScatterGradients(rules);
}

}  // namespace temper
