// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/reader_meaning.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "engine/ir/module_scope.h"
#include "engine/provenance/computed_weights.h"
#include "engine/provenance/constant_use.h"
#include "engine/provenance/exporter_metadata.h"
#include "engine/provenance/module_paths.h"
#include "engine/provenance/tensor_contents.h"

namespace temper {
namespace {

using Names = std::vector<std::string>;

/// The role of a parameter in its layer.
enum class Kind { Unknown, Weight, Bias };

Kind kindOf(std::string_view name) {
    const auto endsWith = [name](std::string_view ending) { return name.ends_with(ending); };
    if (endsWith("weight") || endsWith("gamma") || endsWith("scale")) return Kind::Weight;
    return endsWith("bias") || endsWith("beta") || endsWith("shift") ? Kind::Bias : Kind::Unknown;
}

/// A layer or a norm: input 1 is its weight, and those after it are added.
bool hasWeightAndBias(const OperatorFacts& facts) {
    return facts.takesBias() || (facts.scaleInput == 1U && facts.weightInputs.contains(2));
}

/// The role of an operand, by its position.
Kind kindOf(const Value::Use& use, const OpCatalog& catalog) {
    if (!use.node->domain().empty()) return Kind::Unknown;
    const std::string& op = use.node->opType();
    if (op == "Mul" || op == "Div") return Kind::Weight;
    if (op == "Add" || op == "Sub") return Kind::Bias;
    if (use.input == 0 || !hasWeightAndBias(catalog.facts(*use.node))) return Kind::Unknown;
    return use.input == 1 ? Kind::Weight : Kind::Bias;
}

bool areOpposed(Kind a, Kind b) { return a != b && a != Kind::Unknown && b != Kind::Unknown; }

bool isOf(const Operation& operation, std::string_view name) {
    return operation.target.find(name) != std::string::npos;
}

/// Whether it makes tensors of zeros, ones and other numbers.
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

/// The module of a node, or if the exporter wrote none, that of the nodes after it.
std::string moduleOf(const Node& node, int nodesLeft = 3) {
    std::string path = modulePath(node);
    if (!path.empty() || nodesLeft == 0) return path;
    for (const Value* output : node.outputs()) {
        if (output == nullptr) continue;
        for (const Value::Use& use : output->uses()) {
            path = moduleOf(*use.node, nodesLeft - 1);
            if (!path.empty()) return path;
        }
    }
    return path;
}

}  // namespace

bool isRunningStatistic(const Value::Use& use, const OpCatalog& catalog) {
    return catalog.facts(*use.node).statisticInputs.contains(use.input);
}

ReaderMeaning::ReaderMeaning(const Graph& graph, const OpCatalog& catalog, const Evidence& evidence,
                             const Value& tensor)
    : graph_(graph),
      catalog_(catalog),
      evidence_(evidence),
      tensor_(tensor),
      own_(evidence.parametersIn(tensor)),
      isResult_(isComputed(tensor, evidence, catalog)) {}

bool ReaderMeaning::isMeantBy(const Value::Use& use) const {
    const Names arguments = operationOf(*use.node).arguments;
    return intersect(evidence_.parametersOf(*use.node), own_) ||
           intersect(arguments, foldedFrom(tensor_)) ||
           std::ranges::count(arguments, tensor_.name()) > 0;
}

bool ReaderMeaning::isConstant(const Value::Use& use) const {
    const Operation operation = operationOf(*use.node);
    return isParameter() &&
           (fills(operation) || (isOf(operation, "group_norm") && isOfGroupNorm(use, tensor_)));
}

std::optional<std::string> ReaderMeaning::other(const Value::Use& use) const {
    if (own_.size() > 1 || isConstant(use) || isRunningStatistic(use, catalog_))
        return std::nullopt;
    // A product with a weight may be what a bias is added to.
    if (isMeantBy(use) && (isResult_ || fitsOwn(use))) return std::nullopt;
    const Names missing = missingOf(*use.node);
    if (missing.empty()) return ofModule(use);
    if (!mayHold()) return std::nullopt;
    return bestOf(missing, use);
}

/// Not a scale used as a shift, nor the other way round.
bool ReaderMeaning::fitsOwn(const Value::Use& use) const {
    return own_.empty() || !areOpposed(kindOf(own_.front()), kindOf(use, catalog_));
}

/// Not a number in the operation's formula.
bool ReaderMeaning::mayHold() const {
    return isParameter() || (tensor_.constant().numElements() > 1 &&
                             likelyConstant(graph_, tensor_, evidence_, catalog_).empty());
}

std::optional<std::string> ReaderMeaning::bestOf(const Names& missing,
                                                 const Value::Use& use) const {
    const std::string& name = isParameter() ? own_.front() : tensor_.name();
    const Kind kind = kindOf(use, catalog_) == Kind::Unknown ? kindOf(name) : kindOf(use, catalog_);
    const auto isAlike = [&](const std::string& each) {
        return kind != Kind::Unknown && kindOf(each) == kind;
    };
    const auto isCalledAlike = [&](const std::string& each) {
        return lastPart(each) == lastPart(name) && !areOpposed(kindOf(each), kind);
    };
    if (auto found = onlyOne(missing, isCalledAlike)) return found;
    if (auto found = onlyOne(missing, isAlike)) return found;
    return missing.size() == 1 && isUniform(tensor_.constant()) && fitsOwn(use)
               ? std::optional(missing[0])
               : std::nullopt;
}

/// Parameters of its operation that no tensor holds.
Names ReaderMeaning::missingOf(const Node& node) const {
    Names missing = evidence_.parametersOf(node);
    std::erase_if(missing, [this](const auto& name) { return evidence_.isInFile(name); });
    return missing;
}

/// Missing parameters of the module around it that may take its place.
Names ReaderMeaning::missingAround(const Value::Use& use) const {
    const std::string module = moduleOf(*use.node);
    Names missing;
    if (module.empty()) return missing;
    std::ranges::copy_if(
        evidence_.parameters(), std::back_inserter(missing), [&](const std::string& name) {
            return name.starts_with(module + ".") &&
                   lastPart(name).size() + module.size() + 1 == name.size() &&
                   !evidence_.isInFile(name) && !areOpposed(kindOf(name), kindOf(use, catalog_));
        });
    return missing;
}

/// The one that the line of the program names.
std::optional<std::string> ReaderMeaning::ofLine(const Names& missing,
                                                 const Value::Use& use) const {
    const auto line = sourceLineOf(*use.node);
    if (!line) return std::nullopt;
    return onlyOne(missing, [&](const std::string& name) { return mentions(line->code, name); });
}

/// For nodes whose operation has other arguments than parameters: views and parts of them.
std::optional<std::string> ReaderMeaning::ofModule(const Value::Use& use) const {
    if (!isParameter() || !isUniform(tensor_.constant())) return std::nullopt;
    Names missing = missingAround(use);
    if (missing.empty()) return ofNamesakes(use);
    if (auto found = ofLine(missing, use)) return found;
    for (const Value::Use& each : tensor_.uses()) {
        if (each == use) continue;
        if (const auto taken = ofLine(missingAround(each), each)) std::erase(missing, *taken);
    }
    return missing.size() == 1 ? std::optional(missing.front()) : std::nullopt;
}

/// In another block, the parameter in the tensor's place. One that an operation names has readers.
std::optional<std::string> ReaderMeaning::ofNamesakes(const Value::Use& use) const {
    if (!fitsOwn(use)) return std::nullopt;
    return namesakeNear(moduleOf(*use.node), own_.front(), evidence_.vanishedParameters());
}

}  // namespace temper
