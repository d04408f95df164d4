// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/repeated_layers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "engine/core/name_pattern.h"
#include "engine/ir/module_scope.h"
#include "engine/provenance/equal_tensors.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/folded_norms.h"
#include "engine/provenance/module_paths.h"
#include "engine/provenance/tensor_contents.h"
#include "engine/provenance/tensor_names.h"

namespace temper {
namespace {

using Names = std::vector<std::string>;

/// Names of parameters by the index among a node's inputs: scale and shift of a norm, a token.
using ParametersOfNode = std::map<size_t, std::string>;

bool isAmong(const std::string& name, const Names& names) {
    return std::ranges::find(names, name) != names.end();
}

bool isNorm(const Node& node, const OpCatalog& catalog) {
    return node.domain().empty() && catalog.facts(node).scaleInput.has_value();
}

/// For a fresh norm, whose tensors each consist of one repeated number; nothing for others.
std::optional<ParametersOfNode> parametersOfNorm(const Node& node, const Evidence& evidence) {
    ParametersOfNode parameters;
    for (size_t input = 1; input < node.inputs().size(); ++input) {
        const Value* tensor = node.input(input);
        if (tensor == nullptr || !tensor->isInitializer() || !isUniform(tensor->constant()))
            return std::nullopt;
        const Names& names = evidence.parametersIn(*tensor);
        if (names.size() == 1) parameters[input] = names.front();
    }
    return parameters.empty() ? std::nullopt : std::optional(std::move(parameters));
}

/// For a node that reads one parameter, a tensor that consists of one repeated number, and whose
/// result some operation names; nothing for others.
std::optional<ParametersOfNode> parameterOfNode(const Node& node, const Evidence& evidence) {
    ParametersOfNode parameters;
    for (size_t input = 0; input < node.inputs().size(); ++input) {
        const Value* tensor = node.input(input);
        if (tensor == nullptr || evidence.parametersIn(*tensor).empty()) continue;
        if (!tensor->isInitializer() || !isUniform(tensor->constant())) return std::nullopt;
        parameters[input] = evidence.parametersIn(*tensor).front();
    }
    const Value* output = node.output(0);
    if (parameters.size() != 1 || node.outputs().size() != 1 || output == nullptr)
        return std::nullopt;
    const bool isNamed = std::ranges::any_of(output->uses(), [output](const Value::Use& use) {
        return isAmong(output->name(), operationOf(*use.node).arguments);
    });
    return isNamed ? std::optional(std::move(parameters)) : std::nullopt;
}

/// Whether a value of the program is a result of the operation that a node was made for. What
/// passes a value on proves nothing: the exporter drops it, merged or not.
bool isResultOf(const Node& node, const std::string& name) {
    static const std::set<std::string_view> kPassingOn = {
        "alias", "clone", "contiguous", "detach", "_to_copy", "view", "_unsafe_view"};
    const std::string operation = operationIn(name);
    if (kPassingOn.contains(operation)) return false;
    const std::string target = "." + operationOf(node).target + ".";
    return operation == operationIn(node.output(0)->name()) ||
           target.find("." + operation + ".") != std::string::npos;
}

class Restoring {
public:
    Restoring(Graph& graph, const OpCatalog& catalog, const SharingChoices& choices)
        : graph_(graph), catalog_(catalog), choices_(choices), evidence_(graph) {
        std::set<std::string> merged;
        for (FoldedNorm& norm : findFoldedNorms(graph, catalog))
            merged.insert(std::move(norm.path));
        for (const std::string& name : evidence_.parameters()) {
            const std::string module = moduleIn(name);
            all_[module].insert(std::string(lastPart(name)));
            if (!evidence_.isInFile(name) && !merged.contains(module))
                missing_[module].insert(std::string(lastPart(name)));
        }
        vanished_ = evidence_.vanishedParameters();
        for (const SignatureEntry& entry : readSignature(graph)) aliases_.insert(entry.alias);
    }

    std::vector<RepeatedLayer> run() {
        for (Node* node : std::vector<Node*>(graph_.nodes())) {
            const auto parameters = isNorm(*node, catalog_) ? parametersOfNorm(*node, evidence_)
                                                            : parameterOfNode(*node, evidence_);
            if (parameters && !isKeptMerged(*node)) part(*node, *parameters);
        }
        return std::move(result_);
    }

private:
    struct Readers {
        std::vector<Value::Use> uses;
        std::set<std::string> meant;  ///< the results that they were made for
    };

    bool isKeptMerged(const Node& node) const {
        const auto isMeant = [this](const std::string& name) {
            return matchesAny(choices_.keepMerged, name);
        };
        return std::ranges::any_of(node.inputs(), [&](const Value* tensor) {
            return tensor != nullptr && tensor->isInitializer() &&
                   (isMeant(tensor->name()) ||
                    std::ranges::any_of(evidence_.parametersIn(*tensor), isMeant));
        });
    }

    void part(const Node& node, const ParametersOfNode& parameters) {
        const auto& uses = node.output(0)->uses();
        std::map<ParametersOfNode, Readers> others;
        size_t count = 0;
        for (const Value::Use& use : uses) {
            auto meant = meantInstead(use, node);
            if (!meant) continue;
            auto missing = missingFor(*use.node, node, parameters);
            if (!missing) continue;
            Readers& readers = others[std::move(*missing)];
            readers.uses.push_back(use);
            readers.meant.insert(std::move(*meant));
            ++count;
        }
        if (count == uses.size()) return;
        for (const auto& [missing, readers] : others)
            if (readers.meant.size() == 1) add(node, missing, readers.uses);
    }

    /// The value that a reader was made for instead of this node's: a result of the same operation
    /// that its own operation names, and that the graph lacks. Layers that a norm was folded into
    /// have the norm's operation.
    std::optional<std::string> meantInstead(const Value::Use& use, const Node& node) const {
        const Operation operation = operationOf(*use.node);
        const bool isFolded = operation.target.find("batch_norm") != std::string::npos;
        if (isFolded && !isNorm(*use.node, catalog_)) return std::nullopt;
        const auto isMerged = [&](const std::string& name) {
            return graph_.find(name) == nullptr && !aliases_.contains(name) &&
                   isResultOf(node, name);
        };
        const Names& arguments = operation.arguments;
        if (!isAmong(node.output(0)->name(), arguments)) {
            const auto found = std::ranges::find_if(arguments, isMerged);
            return found == arguments.end() ? std::nullopt : std::optional(*found);
        }
        // It reads both, as a Concat may, in the order of its inputs.
        if (arguments.size() != use.node->inputs().size() || !isMerged(arguments[use.input]))
            return std::nullopt;
        return arguments[use.input];
    }

    /// The parameters that a reader means. If its line names those of the node only, it means them.
    std::optional<ParametersOfNode> missingFor(const Node& reader, const Node& node,
                                               const ParametersOfNode& parameters) const {
        const std::string module = modulePath(reader);
        auto missing = isNorm(node, catalog_) ? missingNorm(module, parameters)
                                              : missingParameter(module, parameters);
        const auto line = sourceLineOf(reader);
        if (!missing || !line) return missing;
        const bool isItself = mentions(line->code, layerOf(node, parameters)) &&
                              !mentions(line->code, layerOf(node, *missing));
        return isItself ? std::nullopt : missing;
    }

    /// The norm, or the only parameter.
    std::string layerOf(const Node& node, const ParametersOfNode& parameters) const {
        const std::string& first = parameters.begin()->second;
        return isNorm(node, catalog_) ? moduleIn(first) : first;
    }

    /// In another block, the parameter in the same place; in the same module, the only one.
    std::optional<ParametersOfNode> missingParameter(const std::string& module,
                                                     const ParametersOfNode& parameters) const {
        const auto& [input, own] = *parameters.begin();
        auto found = namesakeNear(module, own, vanished_);
        if (!found && module == moduleIn(own)) found = onlyVanishedOf(module);
        return found ? std::optional(ParametersOfNode{{input, *found}}) : std::nullopt;
    }

    std::optional<std::string> onlyVanishedOf(const std::string& module) const {
        const auto isOfModule = [&module](const std::string& name) {
            return moduleIn(name) == module;
        };
        if (std::ranges::count_if(vanished_, isOfModule) != 1) return std::nullopt;
        return *std::ranges::find_if(vanished_, isOfModule);
    }

    /// The closest missing norm with the same parameters in a module, beside it or in one around
    /// it, if it is unique.
    std::optional<ParametersOfNode> missingNorm(const std::string& module,
                                                const ParametersOfNode& parameters) const {
        std::set<std::string> parts;
        for (const auto& [input, name] : parameters) parts.insert(std::string(lastPart(name)));
        std::optional<std::string> nearest;
        size_t longest = 0;
        bool isOnly = true;
        for (const auto& [candidate, names] : missing_) {
            if (names != parts || all_.at(candidate) != parts) continue;
            const size_t length = lengthOfCommonPath(candidate, module);
            if (length != module.size() && length != moduleIn(candidate).size()) continue;
            if (nearest && length < longest) continue;
            isOnly = !nearest || length > longest;
            nearest = candidate;
            longest = length;
        }
        if (!nearest || !isOnly) return std::nullopt;
        ParametersOfNode missing;
        for (const auto& [input, name] : parameters)
            missing[input] = *nearest + "." + std::string(lastPart(name));
        return missing;
    }

    /// Gives `uses` a node of their own, on other parameters.
    void add(const Node& node, const ParametersOfNode& parameters,
             const std::vector<Value::Use>& uses) {
        RepeatedLayer layer{layerOf(node, parameters), {}};
        std::vector<Value*> inputs(node.inputs());
        for (const auto& [input, name] : parameters) {
            inputs[input] = addEqualTensor(graph_, catalog_, evidence_, *inputs[input], name);
            layer.made.push_back(inputs[input]->name());
        }
        if (isNorm(node, catalog_)) giveOwnStatistics(inputs, parameters, layer.name);
        Node* made = graph_.addNode({node.opType(),
                                     inputs,
                                     {graph_.uniqueName(node.output(0)->name())},
                                     node.attributes(),
                                     node.domain(),
                                     layer.name});
        made->output(0)->setType(node.output(0)->type());
        for (const Value::Use& use : uses) graph_.setInput(use.node, use.input, made->output(0));
        missing_.erase(layer.name);
        std::erase(vanished_, layer.name);
        result_.push_back(std::move(layer));
    }

    /// To the other tensors of a norm.
    void giveOwnStatistics(std::vector<Value*>& inputs, const ParametersOfNode& parameters,
                           const std::string& module) {
        for (size_t input = 1; input < inputs.size(); ++input) {
            if (parameters.contains(input)) continue;
            const char* part = input == 3 ? ".running_mean" : ".running_var";
            inputs[input] = graph_.addInitializer(graph_.uniqueName(module + part),
                                                  inputs[input]->constant().clone());
        }
    }

    Graph& graph_;
    const OpCatalog& catalog_;
    const SharingChoices& choices_;
    const Evidence evidence_;
    std::map<std::string, std::set<std::string>> all_;  ///< parameters by module
    std::map<std::string, std::set<std::string>>
        missing_;  ///< of these, those that no tensor holds
    Names vanished_;
    std::set<std::string> aliases_;  ///< of parameters, buffers and inputs
    std::vector<RepeatedLayer> result_;
};

}  // namespace

std::vector<RepeatedLayer> restoreRepeatedLayers(Graph& model, const OpCatalog& catalog,
                                                 const SharingChoices& choices) {
    return Restoring(model, catalog, choices).run();
}

}  // namespace temper
