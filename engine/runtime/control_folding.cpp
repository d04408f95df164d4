// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/control_folding.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/graph_folding.h"
#include "engine/runtime/loop_trips.h"
#include "engine/runtime/sequence_folding.h"
#include "engine/runtime/specialization.h"

namespace temper {
namespace {

/// The maximum number of nodes that a Loop is unrolled into.
constexpr int64_t kMaxUnrolledNodes = 20000;

bool isLoop(const Node& node) { return node.opType() == "Loop" && node.domain().empty(); }

/// What is known about a model whose types are inferred and whose constants are folded.
class KnownModel {
public:
    KnownModel(const Graph& graph, const OpCatalog& catalog, const KernelRegistry& kernels)
        : graph_(graph), catalog_(catalog), kernels_(kernels) {}

    /// An integer or boolean: single dimensions of open shapes may be known.
    std::optional<int64_t> number(const Value* value) const {
        if (value == nullptr) return std::nullopt;
        if (value->isInitializer()) {
            if (value->constant().numElements() != 1) return std::nullopt;
            return value->constant().toInt64();
        }
        const auto integers = knownIntegers(graph_, *value, catalog_);
        if (!integers || integers->size() != 1) return std::nullopt;
        return integers->front();
    }

    bool isTrue(const Value* value) const { return number(value).value_or(0) != 0; }

    /// The number of iterations of a Loop, if that is decided.
    std::optional<int64_t> trips(const Node& loop) const {
        const Graph& body = bodyOf(loop, "body");
        if (loop.input(1) != nullptr && !isTrue(loop.input(1))) return std::nullopt;
        if (body.inputs().size() < 2 || body.outputs().empty()) return std::nullopt;
        const auto nodes = static_cast<int64_t>(std::max<size_t>(body.nodeCount(), 1));
        const int64_t most = kMaxUnrolledNodes / nodes;
        const bool isLimited = loop.input(0) != nullptr;
        const std::optional<int64_t> limit = isLimited ? number(loop.input(0)) : std::nullopt;
        if ((isLimited && !limit) || limit.value_or(1) < 1) return std::nullopt;
        if (staysTrue(body)) return limit.value_or(most + 1) <= most ? limit : std::nullopt;
        return computedTrips(graph_, loop, catalog_, kernels_, limit, most);
    }

private:
    /// Whether the body passes its condition on, or one that is true.
    bool staysTrue(const Graph& body) const {
        const Value* condition = body.outputs().front();
        while (condition->producer() != nullptr && isCopy(*condition->producer())) {
            condition = condition->producer()->input(0);
        }
        if (condition->isCaptured()) condition = graph_.find(condition->name());
        return condition == body.inputs().at(1) || isTrue(condition);
    }

    /// A Cast of a boolean does not change it.
    static bool isCopy(const Node& node) {
        return node.opType() == "Identity" || node.opType() == "Cast";
    }

    const Graph& graph_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
};

bool isControlFlow(const Node* node) { return isBranch(*node) || isLoop(*node); }

/// For the nodes that can be replaced, by the name of an output: the condition, or the iterations.
std::map<std::string, int64_t> decisions(const Graph& model, const OpCatalog& catalog,
                                         const KernelRegistry& kernels,
                                         const std::vector<std::string>& changing) {
    const std::unique_ptr<Graph> known = model.clone();
    for (const std::string& name : changing) {
        Value* value = known->find(name);
        if (value != nullptr && value->isInitializer()) known->initializerToInput(value);
    }
    inferTypes(*known, catalog);
    foldKnownValues(*known, catalog, kernels);
    const KnownModel what(*known, catalog, kernels);
    std::map<std::string, int64_t> decided;
    for (const Node* node : known->nodes()) {
        if (node->outputs().empty() || node->output(0) == nullptr) continue;
        std::optional<int64_t> decision;
        if (isBranch(*node)) decision = what.number(node->input(0));
        if (isLoop(*node)) decision = what.trips(*node);
        if (decision) decided[node->output(0)->name()] = *decision;
    }
    return decided;
}

}  // namespace

bool hasFoldableNodes(const Graph& model) {
    return std::ranges::any_of(model.nodes(), [](const Node* node) {
        return isControlFlow(node) || isOfSequences(*node);
    });
}

std::unique_ptr<Graph> withFoldedControlFlow(const Graph& model, const OpCatalog& catalog,
                                             const KernelRegistry& kernels,
                                             const std::vector<std::string>& changing) {
    std::unique_ptr<Graph> graph = model.clone();
    const auto hasSequences = [](const Graph& g) {
        return std::ranges::any_of(g.nodes(),
                                   [](const Node* node) { return isOfSequences(*node); });
    };
    const auto foldAllSequences = [&] {
        if (!hasSequences(*graph)) return;
        inferTypes(*graph, catalog);
        while (foldSequences(*graph, catalog)) inferTypes(*graph, catalog);
    };
    foldAllSequences();
    while (std::ranges::any_of(graph->nodes(), isControlFlow)) {
        const auto decided = decisions(*graph, catalog, kernels, changing);
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
        foldAllSequences();
    }
    return graph;
}

}  // namespace temper
