// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/parting.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "engine/core/name_pattern.h"
#include "engine/provenance/constant_use.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/tensor_contents.h"

namespace temper {
namespace {

using Names = std::vector<std::string>;

std::string_view lastPart(std::string_view name) {
    const size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool haveCommonKind(std::string_view a, std::string_view b) {
    return (a.ends_with("weight") && b.ends_with("weight")) ||
           (a.ends_with("bias") && b.ends_with("bias"));
}

bool isOf(const Operation& operation, std::string_view name) {
    return operation.target.find(name) != std::string::npos;
}

/// What makes tensors of zeros, ones and other numbers.
bool fills(const Operation& operation) {
    constexpr std::string_view kFilling[] = {"zeros", "ones", "full", "scalar_tensor"};
    return std::ranges::any_of(kFilling, [&](std::string_view each) {
        return isOf(operation, "aten." + std::string(each)) ||
               isOf(operation, "aten.new_" + std::string(each));
    });
}

bool intersect(const Names& a, const Names& b) {
    return std::ranges::any_of(
        a, [&b](const std::string& name) { return std::ranges::count(b, name) > 0; });
}

/// The only name that passes; nothing if none or several do.
template <typename Test>
std::optional<std::string> onlyOne(const Names& names, const Test& test) {
    std::optional<std::string> found;
    for (const std::string& name : names) {
        if (!test(name)) continue;
        if (found) return std::nullopt;
        found = name;
    }
    return found;
}

/// What the nodes that read a tensor mean by it.
class Meaning {
public:
    Meaning(const Graph& graph, const Evidence& evidence, const Value& tensor)
        : graph_(graph), evidence_(evidence), tensor_(tensor) {
        own_ = evidence.parametersIn(tensor);
    }

    bool isParameter() const { return !own_.empty(); }

    /// A node was made for an operation on the tensor's own parameter. Of nodes that were rewritten
    /// (a batch norm folded into a convolution), the operation names others.
    bool isMeantBy(const Value::Use& use) const {
        return intersect(evidence_.parametersOf(*use.node), own_) ||
               intersect(operationOf(*use.node).arguments, foldedFrom(tensor_));
    }

    /// A constant that was equal to the parameter when the model was exported.
    bool isConstant(const Value::Use& use) const {
        const Operation operation = operationOf(*use.node);
        return isParameter() &&
               (fills(operation) || (isOf(operation, "group_norm") && isOfGroupNorm(use, tensor_)));
    }

    /// Another parameter than that of the tensor; nothing if it is this one or not clear.
    std::optional<std::string> other(const Value::Use& use) const {
        if (own_.size() > 1 || isConstant(use)) return std::nullopt;
        if (isMeantBy(use)) return std::nullopt;
        Names missing = evidence_.parametersOf(*use.node);
        std::erase_if(missing, [this](const auto& name) { return evidence_.isInFile(name); });
        if (missing.empty() || !mayHold()) return std::nullopt;
        return bestOf(missing);
    }

private:
    /// Not a number of the operation's formula.
    bool mayHold() const {
        return isParameter() || (tensor_.constant().numElements() > 1 &&
                                 likelyConstant(graph_, tensor_, evidence_).empty());
    }

    std::optional<std::string> bestOf(const Names& missing) const {
        const std::string& name = isParameter() ? own_.front() : tensor_.name();
        const auto isCalledAlike = [&](const std::string& each) {
            return lastPart(each) == lastPart(name);
        };
        if (auto found = onlyOne(missing, isCalledAlike)) return found;
        const auto isAlike = [&](const std::string& each) { return haveCommonKind(each, name); };
        if (auto found = onlyOne(missing, isAlike)) return found;
        return missing.size() == 1 && isUniform(tensor_.constant()) ? std::optional(missing[0])
                                                                    : std::nullopt;
    }

    const Graph& graph_;
    const Evidence& evidence_;
    const Value& tensor_;
    Names own_;
};

using Uses = std::vector<Value::Use>;

/// A tensor with the same numbers that these nodes read instead.
Value* giveOwnTensor(Graph& graph, const Value& tensor, const std::string& name, const Uses& uses) {
    Value* made = graph.addInitializer(graph.uniqueName(name), tensor.constant().clone());
    for (const Value::Use& use : uses) graph.setInput(use.node, use.input, made);
    return made;
}

/// By the operations that the readers were made for.
PartedTensor partByOperation(Graph& graph, const Evidence& evidence, Value& tensor) {
    const Meaning meaning(graph, evidence, tensor);
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
    const auto add = [&](const std::string& name, const Uses& uses, const Names& holds) {
        Value* made = giveOwnTensor(graph, tensor, name, uses);
        markFoldedFrom(*made, holds);
        parted.made.push_back(made->name());
    };
    // A tensor that is none of the signature's stays the first of those that it stands for.
    if (!meaning.isParameter() && !others.empty()) {
        markFoldedFrom(tensor, {others.begin()->first});
        others.erase(others.begin());
    }
    for (const auto& [name, uses] : others) add(name, uses, {name});
    if (!constants.empty()) add(tensor.name() + "_constant", constants, {"constant"});
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

bool isStatistic(const Value::Use& use) {
    return use.node->domain().empty() && use.node->opType() == "BatchNormalization" &&
           use.input >= 3;
}

}  // namespace

void partStatistics(Graph& model) {
    for (Value* tensor : std::vector<Value*>(model.initializers())) {
        Uses statistics;
        std::ranges::copy_if(tensor->uses(), std::back_inserter(statistics), isStatistic);
        // Where there is nothing else, the first norm keeps it.
        if (!statistics.empty() && statistics.size() == tensor->uses().size())
            statistics.erase(statistics.begin());
        for (const Value::Use& use : statistics) {
            const char* ending = use.input == 3 ? "_mean" : "_variance";
            giveOwnTensor(model, *tensor, tensor->name() + ending, {use});
        }
    }
}

std::vector<PartedTensor> partMergedTensors(Graph& model, const SharingChoices& choices) {
    const Evidence evidence(model);
    std::vector<PartedTensor> result;
    for (Value* tensor : std::vector<Value*>(model.initializers())) {
        if (!isFloating(tensor->type().dtype)) continue;
        if (isNamed(choices.keepMerged, *tensor, evidence)) continue;
        PartedTensor parted = isNamed(choices.part, *tensor, evidence)
                                  ? partByNode(model, *tensor)
                                  : partByOperation(model, evidence, *tensor);
        if (!parted.made.empty()) result.push_back(std::move(parted));
    }
    return result;
}

}  // namespace temper
