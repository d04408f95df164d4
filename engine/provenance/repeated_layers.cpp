// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/repeated_layers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "engine/core/name_pattern.h"
#include "engine/ir/module_scope.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/folded_norms.h"
#include "engine/provenance/tensor_contents.h"

namespace temper {
namespace {

using Names = std::vector<std::string>;

std::string_view lastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// "a.b" for "a.b.weight"; empty for parameters of the whole program.
std::string moduleIn(std::string_view parameter) {
    const size_t dot = parameter.rfind('.');
    return std::string(dot == std::string_view::npos ? std::string_view()
                                                     : parameter.substr(0, dot));
}

/// Scale and shift of a norm, by the index among its inputs.
using NormParameters = std::map<size_t, std::string>;

bool isNorm(const Node& node, const OpCatalog& catalog) {
    return node.domain().empty() && catalog.facts(node).scaleInput.has_value();
}

/// For a fresh norm, whose tensors each consist of one repeated number; nothing for others.
std::optional<NormParameters> freshParametersOf(const Node& node, const Evidence& evidence) {
    NormParameters parameters;
    for (size_t input = 1; input < node.inputs().size(); ++input) {
        const Value* tensor = node.input(input);
        if (tensor == nullptr || !tensor->isInitializer() || !isUniform(tensor->constant()))
            return std::nullopt;
        const Names& names = evidence.parametersIn(*tensor);
        if (names.size() == 1) parameters[input] = names.front();
    }
    return parameters.empty() ? std::nullopt : std::optional(std::move(parameters));
}

/// Whether a node was made to read another value than this one: its operation names one that the
/// graph does not have instead. Layers that a norm was folded into have the norm's operation.
bool wasMadeForAnother(const Value::Use& use, const Value& output, const Graph& graph,
                       const OpCatalog& catalog) {
    const Operation operation = operationOf(*use.node);
    const bool isFolded = operation.target.find("batch_norm") != std::string::npos;
    if (isFolded && !isNorm(*use.node, catalog)) return false;
    const Names& arguments = operation.arguments;
    const auto isUnknown = [&graph](const std::string& name) {
        return graph.find(name) == nullptr;
    };
    return !arguments.empty() && std::ranges::count(arguments, output.name()) == 0 &&
           std::ranges::any_of(arguments, isUnknown);
}

/// The length of the common part of two paths, in whole names.
size_t lengthOfCommonPath(std::string_view a, std::string_view b) {
    size_t common = 0;
    for (size_t i = 0;; ++i) {
        const bool endsA = i == a.size() || a[i] == '.', endsB = i == b.size() || b[i] == '.';
        if (endsA && endsB) common = i;
        if (i == a.size() || i == b.size() || a[i] != b[i]) return common;
    }
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
    }

    std::vector<RepeatedLayer> run() {
        for (Node* node : std::vector<Node*>(graph_.nodes())) {
            if (!isNorm(*node, catalog_)) continue;
            const auto parameters = freshParametersOf(*node, evidence_);
            if (parameters && !isKeptMerged(*node)) part(*node, *parameters);
        }
        return std::move(result_);
    }

private:
    bool isKeptMerged(const Node& norm) const {
        const auto isMeant = [this](const std::string& name) {
            return matchesAny(choices_.keepMerged, name);
        };
        return std::ranges::any_of(norm.inputs(), [&](const Value* tensor) {
            return tensor != nullptr && tensor->isInitializer() &&
                   (isMeant(tensor->name()) ||
                    std::ranges::any_of(evidence_.parametersIn(*tensor), isMeant));
        });
    }

    void part(const Node& norm, const NormParameters& parameters) {
        const Value& output = *norm.output(0);
        std::map<std::string, std::vector<Value::Use>> others;
        for (const Value::Use& use : output.uses()) {
            if (!wasMadeForAnother(use, output, graph_, catalog_)) continue;
            if (const auto module = missingNear(modulePath(*use.node), parameters))
                others[*module].push_back(use);
        }
        size_t count = 0;
        for (const auto& [module, uses] : others) count += uses.size();
        if (count == output.uses().size()) return;
        for (const auto& [module, uses] : others) add(norm, parameters, module, uses);
    }

    /// The closest missing norm with the same parameters in a module, beside it or in one around
    /// it, if it is unique.
    std::optional<std::string> missingNear(const std::string& module,
                                           const NormParameters& parameters) const {
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
        return isOnly ? nearest : std::nullopt;
    }

    void add(const Node& norm, const NormParameters& parameters, const std::string& module,
             const std::vector<Value::Use>& uses) {
        RepeatedLayer layer{module, norm.output(0)->name(), {}};
        std::vector<Value*> inputs(norm.inputs());
        for (size_t input = 1; input < inputs.size(); ++input) {
            const auto parameter = parameters.find(input);
            const bool isParameter = parameter != parameters.end();
            const std::string name =
                module + "." +
                (isParameter ? std::string(lastPart(parameter->second))
                             : std::string(input == 3 ? "running_mean" : "running_var"));
            inputs[input] =
                graph_.addInitializer(graph_.uniqueName(name), inputs[input]->constant().clone());
            if (!isParameter) continue;
            markFoldedFrom(*inputs[input], {name});
            layer.made.push_back(inputs[input]->name());
        }
        const std::string& output = norm.output(0)->name();
        Node* made = graph_.addNode({norm.opType(),
                                     inputs,
                                     {graph_.uniqueName(output)},
                                     norm.attributes(),
                                     norm.domain(),
                                     module});
        made->output(0)->setType(norm.output(0)->type());
        for (const Value::Use& use : uses) graph_.setInput(use.node, use.input, made->output(0));
        missing_.erase(module);
        result_.push_back(std::move(layer));
    }

    Graph& graph_;
    const OpCatalog& catalog_;
    const SharingChoices& choices_;
    const Evidence evidence_;
    std::map<std::string, std::set<std::string>> all_;  ///< parameters by module
    std::map<std::string, std::set<std::string>>
        missing_;  ///< of these, those that no tensor holds
    std::vector<RepeatedLayer> result_;
};

}  // namespace

std::vector<RepeatedLayer> restoreRepeatedLayers(Graph& model, const OpCatalog& catalog,
                                                 const SharingChoices& choices) {
    return Restoring(model, catalog, choices).run();
}

}  // namespace temper
