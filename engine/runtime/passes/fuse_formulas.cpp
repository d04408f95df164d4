// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

constexpr MatchRules kExactly{.tolerance = 1e-6, .seesThrough = false};

/// A formula found in a graph.
struct Found {
    const KernelFormula* formula;
    const Node* root;  ///< the last of its nodes, which becomes the operator
    BlockMatch match;
    Attributes attributes = {};
};

const Value* boundTo(const BlockMatch& match, const std::string& variable) {
    const auto bound =
        std::ranges::find(match.variables, variable, &std::pair<std::string, const Value*>::first);
    TEMPER_ASSERT(bound != match.variables.end(), "a formula's inputs are in its pattern");
    return bound->second;
}

/// The occurrences of a registry's formulas in a graph.
class FormulaSearch {
public:
    FormulaSearch(const Graph& graph, const OpCatalog& catalog,
                  const std::vector<KernelFormula>& formulas)
        : catalog_(catalog) {
        std::unordered_map<std::string, std::vector<const KernelFormula*>> byRoot;
        for (const KernelFormula& formula : formulas) {
            for (const std::string& root : formula.pattern.roots())
                byRoot[root].push_back(&formula);
        }
        for (const Node* node : graph.nodes()) {
            for (const Value* value : graph.capturedBy(*node)) captured_.insert(value);
            const auto candidates = byRoot.find(node->opType());
            if (candidates == byRoot.end()) continue;
            for (const KernelFormula* formula : candidates->second) tryAt(*node, *formula);
        }
    }

    bool isEmpty() const { return found_.empty(); }

    /// The replaceable formulas, in a graph with the plan's types.
    const std::vector<Found>& inGraph(const Graph& typed) {
        std::erase_if(found_, [&](Found& found) {
            return !isOfOneShape(found, typed) || !completes(found, typed);
        });
        dropThoseThatSaveNothing();
        return found_;
    }

private:
    void tryAt(const Node& node, const KernelFormula& formula) {
        auto matches = matchPattern(formula.pattern, node.output(0), catalog_, kExactly);
        if (!matches.empty()) found_.push_back({&formula, &node, std::move(matches.front())});
    }

    /// Arrays may be broadcast, which the operators do not support.
    static bool isOfOneShape(const Found& found, const Graph& typed) {
        const ValueType& result = typed.at(found.root->output(0)->name())->type();
        const auto shapeOf = [&](const std::string& variable) {
            return typed.at(boundTo(found.match, variable)->name())->type().shape;
        };
        return result.isStatic() &&
               std::ranges::all_of(
                   found.formula->inputs,
                   [&](const std::string& name) { return shapeOf(name) == result.shape; }) &&
               std::ranges::all_of(found.formula->numbers, [&](const std::string& name) {
                   const auto shape = shapeOf(name);
                   const auto sizes = shape ? concreteShape(*shape) : std::nullopt;
                   return sizes && numElements(*sizes) == 1;
               });
    }

    /// Whether the operator has attributes for the match; sets them.
    static bool completes(Found& found, const Graph& typed) {
        if (!found.formula->attributesOf) return true;
        const ValueType& result = typed.at(found.root->output(0)->name())->type();
        auto attributes = found.formula->attributesOf(found.match, *concreteShape(*result.shape));
        if (attributes) found.attributes = std::move(*attributes);
        return attributes.has_value();
    }

    /// If others need values inside a formula that are not results of formulas themselves, its
    /// nodes stay anyway.
    void dropThoseThatSaveNothing() {
        size_t before = 0;
        do {
            before = found_.size();
            std::unordered_set<const Node*> nodes, roots;
            for (const Found& found : found_) {
                nodes.insert(found.match.nodes.begin(), found.match.nodes.end());
                roots.insert(found.root);
            }
            std::erase_if(found_, [&](const Found& found) {
                return std::ranges::any_of(found.match.nodes, [&](const Node* node) {
                    return !roots.contains(node) && isNeededOutside(*node, nodes);
                });
            });
        } while (found_.size() != before);
    }

    bool isNeededOutside(const Node& node, const std::unordered_set<const Node*>& nodes) const {
        return std::ranges::any_of(node.outputs(), [&](const Value* value) {
            if (value == nullptr) return false;
            return value->isGraphOutput() || captured_.contains(value) ||
                   std::ranges::any_of(value->uses(), [&](const Value::Use& use) {
                       return !nodes.contains(use.node);
                   });
        });
    }

    const OpCatalog& catalog_;
    std::unordered_set<const Value*> captured_;
    std::vector<Found> found_;
};

void replace(Graph& graph, const Found& found) {
    const KernelFormula& formula = *found.formula;
    Node* root = graph.at(found.root->output(0)->name())->producer();
    std::vector<std::string> inputs = formula.inputs;
    inputs.insert(inputs.end(), formula.numbers.begin(), formula.numbers.end());
    for (size_t i = 0; i < inputs.size(); ++i)
        graph.setInput(root, i, graph.at(boundTo(found.match, inputs[i])->name()));
    graph.truncateInputs(root, inputs.size());
    graph.setOpType(root, formula.opType, formula.domain);
    for (const auto& [name, value] : found.attributes) root->setAttribute(name, value);
    graph.info().opsetImports.try_emplace(formula.domain, 1);
}

}  // namespace

std::unique_ptr<Graph> fuseFormulas(const Graph& graph, const InputTypes& inputTypes,
                                    const OpCatalog& catalog, const KernelRegistry& kernels,
                                    const PlanOptions& /*options*/) {
    FormulaSearch search(graph, catalog, kernels.formulas());
    if (search.isEmpty()) return nullptr;
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    const std::vector<Found>& formulas = search.inGraph(*result);
    if (formulas.empty()) return nullptr;
    for (const Found& found : formulas) replace(*result, found);
    result->removeUnused();
    return result;
}

}  // namespace temper
