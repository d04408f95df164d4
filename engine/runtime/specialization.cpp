// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/specialization.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/random.h"
#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/known_data.h"
#include "engine/runtime/planning/plan_types.h"

namespace temper {
namespace {

bool canInline(const Node& node) {
    if (!isInlined(node) || node.input(0) == nullptr) return false;
    const auto known = knownData(*node.input(0));
    return known && (isBranch(node) ? known->isTensor() : known->isSequence);
}

bool canEvaluate(const Graph& graph, const Node& node, const KernelRegistry& kernels) {
    if (kernels.findEvaluator(node) == nullptr) return false;
    const bool isDone =
        std::ranges::all_of(node.outputs(), [](const Value* output) { return output == nullptr; });
    return !isDone && std::ranges::all_of(inputsOf(graph, node), [](const Value* input) {
        return input == nullptr || knownData(*input);
    });
}

/// A condition chooses the branch; the length of a sequence is the number of copies.
void inlineBodies(Graph& graph, Node* node, const OpCatalog& catalog) {
    const ValueData known = *knownData(*node->input(0));
    if (isBranch(*node)) return inlineBranch(graph, node, known.tensor().toDouble() != 0);
    inferTypes(graph, catalog);  // which inputs are sequences
    unrollMap(graph, node, static_cast<int64_t>(known.tensors.size()));
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
            if (canInline(*node)) {
                inlineBodies(graph_, node, tools_.catalog);
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
            context.inputs.push_back(input == nullptr ? ValueData() : *knownData(*input));
        }
        for (const Value* value : graph_.capturedBy(*node)) {
            context.captured[value->name()] = *knownData(*value);
        }
        const std::vector<ValueData> results = resultsOf(*node, evaluator, context);
        for (size_t i = 0; i < node->outputs().size(); ++i) {
            if (node->output(i) == nullptr) continue;
            makeKnown(graph_, node->output(i), results.at(i));
        }
    }

    static std::vector<ValueData> resultsOf(const Node& node, const NodeEvaluator& evaluator,
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
static void setKnown(Graph& graph, Value* value, const ValueData& data) {
    Node* producer = value->producer();
    const size_t output = producer == nullptr ? 0 : value->producerOutput();
    makeKnown(graph, value, data);
    if (producer == nullptr) return;
    const bool isNeeded = std::ranges::any_of(producer->outputs(),
                                              [](const Value* other) { return other != nullptr; });
    if (isNeeded) graph.addOutputTo(producer, output, graph.uniqueName(value->name() + "_unread"));
}

static bool isOnnx(const Node& node, std::string_view op) {
    return node.opType() == op && (node.domain().empty() || node.domain() == kLongOnnxDomain);
}

bool isBranch(const Node& node) { return isOnnx(node, "If"); }

bool isMap(const Node& node) { return isOnnx(node, "SequenceMap"); }

bool canRun(const Node& node, const OpCatalog& catalog, const KernelRegistry& kernels) {
    const OpInfo* info = catalog.find(node);
    return info != nullptr && (info->lower || kernels.knows(node) || isInlined(node));
}

bool isSpecializable(const Graph& graph, const KernelRegistry& kernels) {
    return std::ranges::any_of(graph.nodes(), [&](const Node* node) {
        return canInline(*node) || canEvaluate(graph, *node, kernels);
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
