// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/specialization.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/random.h"
#include "engine/ir/inlining.h"
#include "engine/runtime/planning/plan_types.h"

namespace temper {
namespace {

bool isKnown(const Value* value) { return value != nullptr && value->isInitializer(); }

bool isKnownBranch(const Node& node) { return isBranch(node) && isKnown(node.input(0)); }

bool canEvaluate(const Graph& graph, const Node& node, const KernelRegistry& kernels) {
    if (kernels.findEvaluator(node) == nullptr) return false;
    const bool isDone =
        std::ranges::all_of(node.outputs(), [](const Value* output) { return output == nullptr; });
    return !isDone && std::ranges::all_of(inputsOf(graph, node), [](const Value* input) {
        return input == nullptr || input->isInitializer();
    });
}

class Specializer {
public:
    Specializer(Graph& graph, const OpCatalog& catalog, const KernelRegistry& kernels,
                ThreadPool& pool, uint64_t seed)
        : graph_(graph), tools_{graph.info(), catalog, kernels}, pool_(pool), seed_(seed) {}

    /// A branch brings nodes that may need to be resolved as well.
    void run() {
        while (resolveOnce()) graph_.removeUnused();
    }

private:
    bool resolveOnce() {
        bool changed = false;
        for (Node* node : graph_.topologicalOrder()) {
            if (isKnownBranch(*node)) {
                inlineBranch(graph_, node, node->input(0)->constant().toDouble() != 0);
                return true;
            }
            if (!canEvaluate(graph_, *node, tools_.kernels)) continue;
            evaluate(node, *tools_.kernels.findEvaluator(*node));
            changed = true;
        }
        return changed;
    }

    int64_t opsetOf(const Node& node) const {
        const auto& imports = graph_.info().opsetImports;
        const auto found = imports.find(node.domain() == "ai.onnx" ? "" : node.domain());
        return found == imports.end() ? 1 : found->second;
    }

    void evaluate(Node* node, const NodeEvaluator& evaluator) {
        EvaluationContext context{.node = *node,
                                  .opset = opsetOf(*node),
                                  .inputs = {},
                                  .captured = {},
                                  .tools = tools_,
                                  .pool = pool_,
                                  .seed = Random::at(seed_, randomStreamOf(*node))};
        for (const Value* input : node->inputs()) {
            context.inputs.push_back(input == nullptr ? Tensor() : input->constant());
        }
        for (const Value* value : graph_.capturedBy(*node)) {
            context.captured[value->name()] = value->constant();
        }
        std::vector<Tensor> results = resultsOf(*node, evaluator, context);
        for (size_t i = 0; i < node->outputs().size(); ++i) {
            if (node->output(i) == nullptr) continue;
            graph_.makeInitializer(node->output(i), std::move(results.at(i)));
        }
    }

    static std::vector<Tensor> resultsOf(const Node& node, const NodeEvaluator& evaluator,
                                         const EvaluationContext& context) {
        try {
            return evaluator(context);
        } catch (Error& error) {
            if (error.context().empty()) error.addContext(node.describe());
            throw;
        }
    }

    Graph& graph_;
    BodyTools tools_;
    ThreadPool& pool_;
    uint64_t seed_;
};

}  // namespace

/// A node that is still needed for another output makes this one, too, though nothing reads it:
/// kernels rely on outputs that their operator always has.
static void setKnown(Graph& graph, Value* value, const Tensor& data) {
    Node* producer = value->producer();
    const size_t output = producer == nullptr ? 0 : value->producerOutput();
    graph.makeInitializer(value, data);
    if (producer == nullptr) return;
    const bool isNeeded = std::ranges::any_of(producer->outputs(),
                                              [](const Value* other) { return other != nullptr; });
    if (isNeeded) graph.addOutputTo(producer, output, graph.uniqueName(value->name() + "_unread"));
}

bool isBranch(const Node& node) {
    return node.opType() == "If" && (node.domain().empty() || node.domain() == "ai.onnx");
}

bool isSpecializable(const Graph& graph, const KernelRegistry& kernels) {
    return std::ranges::any_of(graph.nodes(), [&](const Node* node) {
        return isKnownBranch(*node) || canEvaluate(graph, *node, kernels);
    });
}

std::unique_ptr<Graph> specialize(const Graph& graph, const KnownData& known,
                                  const OpCatalog& catalog, const KernelRegistry& kernels,
                                  ThreadPool& pool, uint64_t seed) {
    std::unique_ptr<Graph> result = graph.clone();
    for (const auto& [name, data] : known) setKnown(*result, result->at(name), data);
    Specializer(*result, catalog, kernels, pool, seed).run();
    result->removeUnused();
    return result;
}

}  // namespace temper
