// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/dropped_biases.h"

#include <optional>
#include <set>
#include <string_view>

#include "engine/provenance/evidence.h"

namespace temper {
namespace {

constexpr const char* kRule = "pkg.onnxscript.rewriter.rule_name";

/// For a folded batch norm, the operation names the norm's parameters: they are something else.
bool lostItsBias(const Node& node) {
    const std::string& rule = metadataText(node.metadata(), kRule);
    return rule.find("RemoveOptionalBias") != std::string::npos &&
           rule.find("BatchNorm") == std::string::npos && node.input(2) == nullptr;
}

/// The number of elements of the bias; nothing if the weight's shape is unknown.
std::optional<int64_t> sizeOfBias(const Node& node, const OperatorFacts& facts) {
    const Value* weight = node.input(1);
    if (weight == nullptr || !weight->type().isStatic() || !facts.takesBias()) return std::nullopt;
    const std::optional<UnitLayout> units = facts.unitsOf(node);
    if (!units) return std::nullopt;
    return units->count(*concreteShape(*weight->type().shape));
}

/// The only bias among the parameters of the operation that the file lacks.
std::optional<std::string> missingBias(const Node& node, const Evidence& evidence) {
    std::optional<std::string> found;
    for (const std::string& name : evidence.parametersOf(node)) {
        if (evidence.isInFile(name) || !name.ends_with("bias")) continue;
        if (found) return std::nullopt;
        found = name;
    }
    return found;
}

}  // namespace

std::vector<std::string> restoreBiases(Graph& model, const OpCatalog& catalog) {
    const Evidence evidence(model);
    std::vector<std::string> names;
    for (Node* node : model.nodes()) {
        if (!node->domain().empty() || !lostItsBias(*node)) continue;
        const auto name = missingBias(*node, evidence);
        const auto size = sizeOfBias(*node, catalog.facts(*node));
        if (!name || !size) continue;
        Value* bias = model.find(*name);  // a layer that is called twice has one
        if (bias == nullptr) {
            bias = model.addInitializer(*name, Tensor(node->input(1)->type().dtype, {*size}));
            markFoldedFrom(*bias, {*name});
            names.push_back(*name);
        }
        model.setInput(node, 2, bias);
    }
    return names;
}

}  // namespace temper
