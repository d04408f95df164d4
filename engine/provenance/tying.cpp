// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/tying.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/core/name_pattern.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/tensor_contents.h"

namespace temper {
namespace {

/// Size of the smallest tensor whose equal numbers are not a coincidence.
constexpr int64_t kMinElements = 16;

bool isMatched(const std::vector<std::string>& patterns, const Value& tensor,
               const std::string& parameter) {
    return matchesAny(patterns, tensor.name()) || matchesAny(patterns, parameter);
}

/// The tensors that hold one parameter and nothing else, by parameter.
std::map<std::string, std::vector<Value*>> tensorsByParameter(const Graph& model,
                                                              const Evidence& evidence) {
    std::map<std::string, std::vector<Value*>> tensors;
    for (Value* value : model.initializers()) {
        const auto& names = evidence.parametersIn(*value);
        if (names.size() == 1 && isFloating(value->type().dtype)) {
            tensors[names.front()].push_back(value);
        }
    }
    return tensors;
}

/// Turns the others whose numbers are those of `base` into results of nodes on it, and removes them
/// from the list.
TiedTensor tieTo(Graph& model, Value* base, std::vector<Value*>& others) {
    TiedTensor tied{base->name(), {}};
    for (auto at = others.begin(); at != others.end();) {
        Value* other = *at;
        const auto relation =
            other == base ? std::nullopt : relationOf(base->constant(), other->constant());
        if (!relation) {
            ++at;
            continue;
        }
        at = others.erase(at);
        tied.copies.push_back(other->name());
        replaceByRelation(model, other, base, *relation);
    }
    return tied;
}

/// The tensor that kept the parameter's name, or the first.
Value* baseOf(const std::vector<Value*>& tensors, const std::string& parameter) {
    const auto named = std::ranges::find(tensors, parameter, &Value::name);
    return named == tensors.end() ? tensors.front() : *named;
}

/// Biases of attention are looked up by the distance of two positions.
bool mayBeSelected(const std::string& parameter) {
    return parameter.find("relative") != std::string::npos ||
           parameter.find("attention_bias") != std::string::npos;
}

/// The table whose numbers a tensor without metadata has, by position.
std::optional<Repetition> tableOf(const Tensor& tensor) {
    if (tensor.rank() < 2 || isUniform(tensor)) return std::nullopt;
    return findRelativePositions(tensor);
}

/// A mask has only two or three different numbers.
bool hasFewNumbers(const Tensor& tensor) {
    const auto numbers = tensor.values<float>();
    return std::set<float>(numbers.begin(), numbers.end()).size() < 4;
}

bool isCandidate(const Value& value, const Evidence& evidence) {
    const Tensor& data = value.constant();
    return isFloating(data.dtype()) && data.rank() > 1 && data.numElements() >= kMinElements &&
           !evidence.explains(value) && !isUniform(data);
}

/// Tensors that the user declares to be one parameter, each with the first tensor that it derives
/// from.
std::vector<TiedTensor> tieChosen(Graph& model, const std::vector<std::string>& patterns) {
    std::vector<Value*> chosen;
    for (Value* value : model.initializers()) {
        const bool isMeant = isFloating(value->type().dtype) && matchesAny(patterns, value->name());
        if (isMeant) chosen.push_back(value);
    }
    std::vector<TiedTensor> result;
    while (chosen.size() > 1) {
        Value* base = chosen.front();
        chosen.erase(chosen.begin());
        TiedTensor tied = tieTo(model, base, chosen);
        tied.reason = TieReason::Choice;
        if (!tied.copies.empty()) result.push_back(std::move(tied));
    }
    return result;
}

/// A table by position becomes the smaller table, under its name.
TiedTensor tieTable(Graph& model, Value* tensor, const Repetition& table, TieReason reason) {
    TiedTensor tied{tensor->name(), {}, reason};
    replaceByRepetition(model, tensor, table, tied.tensor);
    return tied;
}

/// Those of the tensors named by the user that are tables by position.
std::vector<TiedTensor> tieChosenTables(Graph& model, const std::vector<std::string>& patterns) {
    std::vector<TiedTensor> result;
    for (Value* value : std::vector<Value*>(model.initializers())) {
        if (!isFloating(value->type().dtype) || !matchesAny(patterns, value->name())) continue;
        const auto table = tableOf(value->constant());
        if (table) result.push_back(tieTable(model, value, *table, TieReason::Choice));
    }
    return result;
}

std::vector<TiedTensor> tieSpreadTables(Graph& model, const std::vector<std::string>& untied) {
    std::vector<TiedTensor> result;
    for (const SpreadTable& found : findSpreadTables(model)) {
        if (matchesAny(untied, found.tensor)) continue;
        Value* value = model.at(found.tensor);
        result.push_back(tieTable(model, value, *tableOf(value->constant()), TieReason::Numbers));
    }
    return result;
}

/// Rows are looked up in it.
bool isTable(const Value& value, const OpCatalog& catalog) {
    return std::ranges::any_of(value.uses(), [&catalog](const Value::Use& use) {
        const OperatorFacts& facts = catalog.facts(*use.node);
        return facts.family == OperatorFamily::Arrangement &&
               facts.weightInputs.contains(use.input);
    });
}

/// The weight of a dense layer.
bool isFactor(const Value& value, const OpCatalog& catalog) {
    return std::ranges::any_of(value.uses(), [&catalog](const Value::Use& use) {
        const OperatorFacts& facts = catalog.facts(*use.node);
        return facts.family == OperatorFamily::Product && facts.unitLayout != nullptr &&
               use.input == 1;
    });
}

/// Embeddings, and the equal weights that a head multiplies by.
std::vector<TiedTensor> tieHeads(Graph& model, const OpCatalog& catalog,
                                 const std::vector<std::string>& untied) {
    std::vector<Value*> tables, factors;
    {
        const Evidence evidence(model);
        for (Value* value : model.initializers()) {
            if (!isCandidate(*value, evidence) || matchesAny(untied, value->name())) continue;
            if (isTable(*value, catalog))
                tables.push_back(value);
            else if (isFactor(*value, catalog))
                factors.push_back(value);
        }
    }
    std::vector<TiedTensor> result;
    for (Value* table : tables) {
        TiedTensor tied = tieTo(model, table, factors);
        tied.reason = TieReason::Numbers;
        if (!tied.copies.empty()) result.push_back(std::move(tied));
    }
    return result;
}

}  // namespace

std::vector<TiedTensor> tieCopies(Graph& model, const OpCatalog& catalog,
                                  const SharingChoices& choices) {
    std::vector<TiedTensor> result;
    {
        const Evidence evidence(model);
        for (auto& [parameter, tensors] : tensorsByParameter(model, evidence)) {
            std::erase_if(tensors, [&, &name = parameter](const Value* tensor) {
                return isMatched(choices.untie, *tensor, name);
            });
            if (tensors.size() > 1) {
                TiedTensor tied = tieTo(model, baseOf(tensors, parameter), tensors);
                if (!tied.copies.empty()) result.push_back(std::move(tied));
            } else if (tensors.size() == 1) {
                Value* tensor = tensors.front();
                const auto repetition = repetitionOf(*tensor, parameter);
                if (!repetition) continue;
                result.push_back({parameter, {tensor->name()}});
                replaceByRepetition(model, tensor, *repetition, parameter);
            }
        }
    }
    if (readSignature(model).empty()) {
        std::ranges::move(tieHeads(model, catalog, choices.untie), std::back_inserter(result));
        std::ranges::move(tieSpreadTables(model, choices.untie), std::back_inserter(result));
    }
    std::ranges::move(tieChosen(model, choices.tie), std::back_inserter(result));
    std::ranges::move(tieChosenTables(model, choices.tie), std::back_inserter(result));
    return result;
}

std::optional<Repetition> repetitionOf(const Value& tensor, const std::string& parameter) {
    if (tensor.name() == parameter || foldedFrom(tensor).empty() || isRestored(tensor))
        return std::nullopt;
    const bool isTable = parameter.find("relative_position") != std::string::npos;
    if (isTable) {
        if (auto table = findRelativePositions(tensor.constant())) return table;
    }
    if (tensor.constant().rank() < 2 || isUniform(tensor.constant())) return std::nullopt;
    if (auto expansion = findExpansion(tensor.constant())) return expansion;
    return mayBeSelected(parameter) ? findRepeatedColumns(tensor.constant()) : std::nullopt;
}

std::vector<TiedTensor> findEqualTensors(const Graph& model) {
    const Evidence evidence(model);
    std::vector<const Value*> candidates;
    std::map<std::string, std::vector<const Value*>> alike;
    for (const Value* value : model.initializers()) {
        if (!isCandidate(*value, evidence)) continue;
        candidates.push_back(value);
        alike[relationKey(value->constant())].push_back(value);
    }
    std::vector<TiedTensor> result;
    for (const Value* base : candidates) {
        auto& others = alike.at(relationKey(base->constant()));
        if (others.empty() || others.front() != base) continue;  // it is a copy
        TiedTensor equal{base->name(), {}};
        std::erase_if(others, [&](const Value* other) {
            if (other == base) return true;
            if (!relationOf(base->constant(), other->constant())) return false;
            equal.copies.push_back(other->name());
            return true;
        });
        if (!equal.copies.empty()) result.push_back(std::move(equal));
    }
    return result;
}

std::vector<SpreadTable> findSpreadTables(const Graph& model) {
    const Evidence evidence(model);
    std::vector<SpreadTable> result;
    for (const Value* value : model.initializers()) {
        if (!isCandidate(*value, evidence)) continue;
        const auto table = tableOf(value->constant());
        if (!table || hasFewNumbers(table->base)) continue;
        result.push_back({value->name(), value->constant().shape().back(), table->base.shape()[0]});
    }
    return result;
}

}  // namespace temper
