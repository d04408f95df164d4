// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/ir/inlining.h"
#include "engine/training/edits/replacements/replacement.h"

namespace temper {
namespace {

bool hasOneShape(const ValueType& type) {
    if (!type.isTensor() || !type.isKnown() || !type.shape) return false;
    return std::ranges::all_of(
        *type.shape, [](const Dim& dim) { return dim.isNumber() || !dim.symbol.empty(); });
}

/// Where selects elements: both branches have to produce the same shape.
std::optional<std::string> whyNotByWhere(const Graph&, const Node& node) {
    for (const Value* output : node.outputs()) {
        if (output != nullptr && !hasOneShape(output->type())) {
            return "its branches do not produce '" + output->name() + "' in the same known shape";
        }
    }
    return std::nullopt;
}

std::string prefixOfBranch(const Node& node, const char* branch) {
    const std::string name = node.name().empty() ? node.output(0)->name() : node.name();
    return name + "/" + branch + "/";
}

/// y = If(c, a, b)  =>  y = Where(c, a, b): both branches are computed, and the gradient of the
/// branch that is not taken is zero.
void computeBoth(Graph& graph, Node* node, const OpCatalog&) {
    const std::vector<Value*> first =
        inlineBody(graph, bodyOf(*node, "then_branch"), {}, prefixOfBranch(*node, "then"));
    const std::vector<Value*> second =
        inlineBody(graph, bodyOf(*node, "else_branch"), {}, prefixOfBranch(*node, "else"));
    Value* condition = node->input(0);
    const std::vector<Value*> outputs = node->outputs();
    std::vector<std::pair<Value*, std::string>> results;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] == nullptr) continue;
        const std::string name = outputs[i]->name();
        Value* chosen = graph
                            .addNode({"Where",
                                      {condition, first[i], second[i]},
                                      {graph.uniqueName(name + "_chosen")},
                                      {},
                                      "",
                                      prefixOfBranch(*node, "Where") + std::to_string(i),
                                      node->docString(),
                                      node->isBackward()})
                            ->output(0);
        chosen->setType(outputs[i]->type());
        graph.replaceUses(outputs[i], chosen);
        results.emplace_back(chosen, name);
    }
    graph.removeNode(node);
    for (const auto& [value, name] : results) graph.renameValue(value, name);
}

}  // namespace

Replacement conditionByWhere() {
    return {{"If"}, "both branches and Where", whyNotByWhere, computeBoth};
}

}  // namespace temper
