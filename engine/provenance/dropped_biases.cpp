// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/dropped_biases.h"

#include <optional>
#include <set>
#include <string_view>

#include "engine/core/name_pattern.h"
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

struct DroppedBias {
    Node* node;
    std::string name;
    int64_t size;
};

std::vector<DroppedBias> findDroppedBiases(const Graph& model, const OpCatalog& catalog) {
    const Evidence evidence(model);
    std::vector<DroppedBias> biases;
    for (Node* node : model.nodes()) {
        if (!node->domain().empty() || !lostItsBias(*node)) continue;
        const auto name = missingBias(*node, evidence);
        const auto size = sizeOfBias(*node, catalog.facts(*node));
        if (name && size) biases.push_back({node, *name, *size});
    }
    return biases;
}

}  // namespace

std::vector<std::string> restoreBiases(Graph& model, const OpCatalog& catalog,
                                       const SharingChoices& choices) {
    std::vector<std::string> names;
    for (const DroppedBias& dropped : findDroppedBiases(model, catalog)) {
        if (matchesAny(choices.keepMerged, dropped.name)) continue;
        Value* bias = model.find(dropped.name);  // a layer that is called twice has one
        if (bias == nullptr) {
            const DType dtype = dropped.node->input(1)->type().dtype;
            bias = model.addInitializer(dropped.name, Tensor(dtype, {dropped.size}));
            markFoldedFrom(*bias, {dropped.name});
            names.push_back(dropped.name);
        }
        model.setInput(dropped.node, 2, bias);
    }
    return names;
}

std::vector<std::string> namesOfDroppedBiases(const Graph& model, const OpCatalog& catalog) {
    std::vector<std::string> names;
    for (const DroppedBias& dropped : findDroppedBiases(model, catalog))
        names.push_back(dropped.name);
    return names;
}

}  // namespace temper
