// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/control_folding.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/graph_folding.h"
#include "engine/runtime/specialization.h"

namespace temper {
namespace {

/// A Loop is unrolled into so many nodes at most.
constexpr int64_t kMostUnrolledNodes = 20000;

bool isLoop(const Node& node) { return node.opType() == "Loop" && node.domain().empty(); }

bool isTrue(const Value* value) {
    return value != nullptr && value->isInitializer() && value->constant().toDouble() != 0;
}

/// Whether the body hands its condition on, or gives a constant that is true.
bool staysTrue(const Graph& body) {
    const Value* condition = body.outputs().front();
    while (condition->producer() != nullptr && condition->producer()->opType() == "Identity") {
        condition = condition->producer()->input(0);
    }
    return isTrue(condition) || condition == body.inputs().at(1);
}

/// How often a Loop runs, where that is decided.
std::optional<int64_t> tripsOf(const Node& loop) {
    if (loop.input(0) == nullptr || !loop.input(0)->isInitializer()) return std::nullopt;
    if (loop.input(1) != nullptr && !isTrue(loop.input(1))) return std::nullopt;
    const Graph& body = bodyOf(loop, "body");
    if (body.inputs().size() < 2 || body.outputs().empty() || !staysTrue(body)) {
        return std::nullopt;
    }
    const int64_t trips = loop.input(0)->constant().toInt64();
    const auto nodes = static_cast<int64_t>(std::max<size_t>(body.nodeCount(), 1));
    if (trips < 1 || trips > kMostUnrolledNodes / nodes) return std::nullopt;
    return trips;
}

/// An If's condition, where it is decided: single dimensions may be known of open shapes.
std::optional<bool> conditionOf(const Graph& graph, const Node& branch, const OpCatalog& catalog) {
    const Value* condition = branch.input(0);
    if (condition == nullptr) return std::nullopt;
    if (condition->isInitializer()) return isTrue(condition);
    const auto integers = knownIntegers(graph, *condition, catalog);
    if (!integers || integers->size() != 1) return std::nullopt;
    return integers->front() != 0;
}

/// Of the nodes that can be replaced, by the name of an output: the condition, or the iterations.
std::map<std::string, int64_t> decisions(const Graph& model, const OpCatalog& catalog,
                                         const KernelRegistry& kernels) {
    const std::unique_ptr<Graph> known = model.clone();
    inferTypes(*known, catalog);
    foldKnownValues(*known, catalog, kernels);
    std::map<std::string, int64_t> decided;
    for (const Node* node : known->nodes()) {
        if (node->outputs().empty() || node->output(0) == nullptr) continue;
        std::optional<int64_t> decision;
        if (isBranch(*node)) decision = conditionOf(*known, *node, catalog);
        if (isLoop(*node)) decision = tripsOf(*node);
        if (decision) decided[node->output(0)->name()] = *decision;
    }
    return decided;
}

}  // namespace

std::unique_ptr<Graph> withFoldedControlFlow(const Graph& model, const OpCatalog& catalog,
                                             const KernelRegistry& kernels) {
    std::unique_ptr<Graph> graph = model.clone();
    const auto hasControlFlow = [](const Graph& g) {
        return std::ranges::any_of(
            g.nodes(), [](const Node* node) { return isBranch(*node) || isLoop(*node); });
    };
    while (hasControlFlow(*graph)) {
        const auto decided = decisions(*graph, catalog, kernels);
        if (decided.empty()) break;
        for (const auto& [output, decision] : decided) {
            Node* node = graph->at(output)->producer();
            if (isBranch(*node)) {
                inlineBranch(*graph, node, decision != 0);
            } else {
                unrollLoop(*graph, node, decision);
            }
        }
        inferTypes(*graph, catalog);
    }
    return graph;
}

}  // namespace temper
