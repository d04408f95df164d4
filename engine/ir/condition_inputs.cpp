// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/condition_inputs.h"

#include <algorithm>
#include <unordered_set>

namespace temper {
namespace {

/// The values that the node computes with.
std::vector<const Value*> reads(const Graph& graph, const Node& node, const OpCatalog& catalog) {
    if (catalog.facts(node).measuresShape) return {};
    std::vector<const Value*> values(node.inputs().begin(), node.inputs().end());
    const std::vector<Value*> captured = graph.capturedBy(node);
    values.insert(values.end(), captured.begin(), captured.end());
    return values;
}

}  // namespace

std::vector<const Value*> conditionInputs(const Graph& graph, const Node& branch,
                                          const OpCatalog& catalog) {
    std::vector<const Value*> inputs;
    std::vector<const Value*> pending{branch.input(0)};
    std::unordered_set<const Value*> seen;
    while (!pending.empty()) {
        const Value* value = pending.back();
        pending.pop_back();
        if (value == nullptr || !seen.insert(value).second) continue;
        if (value->isGraphInput()) inputs.push_back(value);
        if (value->producer() == nullptr) continue;
        const auto before = reads(graph, *value->producer(), catalog);
        pending.insert(pending.end(), before.begin(), before.end());
    }
    const bool areKnown =
        std::ranges::all_of(inputs, [](const Value* input) { return input->type().isStatic(); });
    return areKnown ? inputs : std::vector<const Value*>{};
}

}  // namespace temper
