// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/graph_folding.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/ir/graph_set.h"
#include "engine/ir/inlining.h"
#include "engine/runtime/execution_plan.h"

namespace temper {
namespace {

bool isCandidate(const Node& node) {
    if (hasBody(node)) return false;
    for (const Value* output : node.outputs()) {
        if (output != nullptr && (output->isGraphOutput() || !output->type().isTensor()))
            return false;
    }
    if (node.domain() == kOnnxDomain && node.opType() == "Shape") {
        return node.inputs().size() == 1 && node.input(0) != nullptr &&
               node.input(0)->type().isStatic();
    }
    return !node.inputs().empty() && std::ranges::all_of(node.inputs(), [](const Value* input) {
        return input == nullptr || input->isInitializer();
    });
}

/// A graph with only the node; a static shape replaces an input that is not an initializer.
std::unique_ptr<Graph> graphOf(const Node& node, const ModelInfo& info) {
    auto graph = std::make_unique<Graph>();
    graph->info() = info;
    NodeSpec spec{node.opType(), {}, {}, node.attributes(), node.domain(), node.name()};
    for (const Value* input : node.inputs()) {
        Value* copy = input == nullptr ? nullptr : graph->find(input->name());
        if (input != nullptr && copy == nullptr) {
            copy = input->isInitializer() ? graph->addInitializer(input->name(), input->constant())
                                          : graph->addInput(input->name(), input->type());
        }
        spec.inputs.push_back(copy);
    }
    for (const Value* output : node.outputs())
        spec.outputs.push_back(output == nullptr ? "" : output->name());
    const Node* copy = graph->addNode(std::move(spec));
    for (Value* output : copy->outputs()) {
        if (output != nullptr) graph->addOutput(output);
    }
    return graph;
}

/// The outputs, if a plan knows them before it runs.
std::optional<std::vector<Tensor>> valuesOf(const Graph& single, const OpCatalog& catalog,
                                            const KernelRegistry& kernels) {
    InputTypes types;
    for (const Value* input : single.inputs())
        types[input->name()] = {{input->type().dtype, *concreteShape(*input->type().shape)}};
    const auto plan = ExecutionPlan::compile(single, types, catalog, kernels);
    if (!plan->steps().empty()) return std::nullopt;
    std::vector<Tensor> values;
    for (const ExecutionPlan::Port& port : plan->outputs()) {
        const ExecutionPlan::Buffer& buffer = plan->buffers().at(port.buffers.at(0));
        if (buffer.kind != ExecutionPlan::BufferKind::Constant) return std::nullopt;
        values.push_back(buffer.constant);
    }
    return values;
}

void replace(Graph& graph, Node* node, const std::vector<Tensor>& values) {
    std::vector<Value*> literals;
    size_t next = 0;
    for (const Value* output : node->outputs()) {
        literals.push_back(output == nullptr
                               ? nullptr
                               : graph.addLiteral(graph.uniqueName(output->name() + "_folded"),
                                                  values.at(next++)));
    }
    graph.replaceNode(node, literals);
}

ValueSet capturedByBodies(const Graph& graph) {
    ValueSet captured;
    for (const Node* node : graph.nodes()) {
        for (const Value* value : graph.capturedBy(*node)) captured.insert(value);
    }
    return captured;
}

}  // namespace

void foldKnownValues(Graph& graph, const OpCatalog& catalog, const KernelRegistry& kernels) {
    const ValueSet captured = capturedByBodies(graph);
    for (Node* node : graph.topologicalOrder()) {
        const bool isRead = std::ranges::any_of(
            node->outputs(), [&](const Value* output) { return captured.contains(output); });
        if (isRead || !isCandidate(*node) || kernels.find(*node) == nullptr) continue;
        try {
            const auto values = valuesOf(*graphOf(*node, graph.info()), catalog, kernels);
            if (values) replace(graph, node, *values);
        } catch (const Error&) {
            continue;  // its errors are reported when it is compiled with the others
        }
    }
}

}  // namespace temper
