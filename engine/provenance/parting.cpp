// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/parting.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/core/name_pattern.h"
#include "engine/provenance/equal_tensors.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/reader_meaning.h"

namespace temper {
namespace {

using Names = std::vector<std::string>;
using Uses = std::vector<Value::Use>;

void setInputs(Graph& graph, const Uses& uses, Value* value) {
    for (const Value::Use& use : uses) graph.setInput(use.node, use.input, value);
}

/// A tensor with the same numbers, which these nodes then read instead.
Value* giveOwnTensor(Graph& graph, const Value& tensor, const std::string& name, const Uses& uses) {
    Value* made = graph.addInitializer(graph.uniqueName(name), tensor.constant().clone());
    setInputs(graph, uses, made);
    return made;
}

/// Splits by the operations that the readers were made for.
PartedTensor partByOperation(Graph& graph, const OpCatalog& catalog, const Evidence& evidence,
                             Value& tensor) {
    const ReaderMeaning meaning(graph, catalog, evidence, tensor);
    std::map<std::string, Uses> others;
    Uses constants;
    const bool isMeant = std::ranges::any_of(
        tensor.uses(), [&](const Value::Use& use) { return meaning.isMeantBy(use); });
    if (meaning.isParameter() && !isMeant) return {tensor.name(), {}};
    for (const Value::Use& use : tensor.uses()) {
        if (meaning.isConstant(use)) {
            constants.push_back(use);
        } else if (const auto name = meaning.other(use)) {
            others[*name].push_back(use);
        }
    }
    PartedTensor parted{tensor.name(), {}};
    // A tensor that is not in the signature becomes the first of the parameters that it replaced.
    if (!meaning.isParameter() && !others.empty()) {
        markFoldedFrom(tensor, {others.begin()->first});
        others.erase(others.begin());
    }
    for (const auto& [name, uses] : others) {
        Value* made = addEqualTensor(graph, catalog, evidence, tensor, name);
        setInputs(graph, uses, made);
        parted.made.push_back(made->name());
    }
    if (!constants.empty()) {
        Value* made = giveOwnTensor(graph, tensor, tensor.name() + "_constant", constants);
        markFoldedFrom(*made, {"constant"});
        parted.made.push_back(made->name());
    }
    return parted;
}

PartedTensor partByNode(Graph& graph, Value& tensor) {
    PartedTensor parted{tensor.name(), {}};
    const Uses uses(tensor.uses().begin(), tensor.uses().end());  // they change below
    for (size_t i = 1; i < uses.size(); ++i) {
        Value* made = giveOwnTensor(graph, tensor, tensor.name(), {uses[i]});
        made->setMetadata(tensor.metadata());
        parted.made.push_back(made->name());
    }
    return parted;
}

bool isNamed(const Names& patterns, const Value& tensor, const Evidence& evidence) {
    return matchesAny(patterns, tensor.name()) ||
           std::ranges::any_of(evidence.parametersIn(tensor),
                               [&](const std::string& name) { return matchesAny(patterns, name); });
}

}  // namespace

void partStatistics(Graph& model, const OpCatalog& catalog) {
    for (Value* tensor : std::vector<Value*>(model.initializers())) {
        Uses statistics;
        std::ranges::copy_if(
            tensor->uses(), std::back_inserter(statistics),
            [&catalog](const Value::Use& use) { return isRunningStatistic(use, catalog); });
        // If there is nothing else, the first norm keeps it.
        if (!statistics.empty() && statistics.size() == tensor->uses().size())
            statistics.erase(statistics.begin());
        for (const Value::Use& use : statistics) {
            const char* ending = use.input == 3 ? "_mean" : "_variance";
            giveOwnTensor(model, *tensor, tensor->name() + ending, {use});
        }
    }
}

std::vector<PartedTensor> partMergedTensors(Graph& model, const OpCatalog& catalog,
                                            const SharingChoices& choices) {
    const Evidence evidence(model);
    std::vector<PartedTensor> result;
    for (Value* tensor : std::vector<Value*>(model.initializers())) {
        if (!isFloating(tensor->type().dtype)) continue;
        if (isNamed(choices.keepMerged, *tensor, evidence)) continue;
        PartedTensor parted = isNamed(choices.part, *tensor, evidence)
                                  ? partByNode(model, *tensor)
                                  : partByOperation(model, catalog, evidence, *tensor);
        if (!parted.made.empty()) result.push_back(std::move(parted));
    }
    return result;
}

}  // namespace temper
