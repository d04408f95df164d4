// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/stop_gradient.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "engine/autodiff/reachability.h"
#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"
#include "engine/ir/lowering.h"

namespace temper {
namespace {

using ReachedValues = ValueSet;

/// The outputs of a node that a choice refers to.
std::vector<std::string> meantOutputs(const std::string& choice, const Node& node) {
    const bool isWhole = !node.name().empty() && matchesPattern(choice, node.name());
    std::vector<std::string> names;
    for (const Value* output : node.outputs()) {
        if (output != nullptr && (isWhole || output->name() == choice)) {
            names.push_back(output->name());
        }
    }
    return names;
}

/// Its name, if that refers only to this node; else the names of its outputs.
std::vector<std::string> choicesFor(const Graph& graph, const Node& node) {
    const std::vector<Node*> nodes = graph.nodes();
    const auto meant = std::ranges::count_if(
        nodes, [&node](const Node* other) { return !meantOutputs(node.name(), *other).empty(); });
    if (!node.name().empty() && meant == 1) return {node.name()};
    std::vector<std::string> names;
    for (const Value* output : node.outputs()) {
        if (output != nullptr) names.push_back(output->name());
    }
    return names;
}

Finding unknownChoice(const std::string& choice) {
    return {"A014",
            Severity::Error,
            "",
            "",
            "Gradients can't stop at '" + choice + "': no node or node output has this name.",
            "Give the name of a node, a pattern of such names, or the name of a node's output.",
            {}};
}

/// The values that gradients of the outputs reach.
ReachedValues reachedByGradients(const Graph& graph, const OpCatalog& catalog,
                                 const std::vector<Value*>& outputs) {
    ReachedValues reached;
    for (const Value* output : outputs) {
        if (carriesGradient(*output)) reached.merge(reachingTo(graph, catalog, output));
    }
    return reached;
}

Finding stopReport(const Node& node, const std::vector<std::string>& parameters) {
    constexpr size_t kShown = 3;
    const std::string listed = joined(parameters, std::identity(), kShown);
    const std::string count = std::to_string(parameters.size()) +
                              (parameters.size() == 1 ? " parameter is" : " parameters are");
    return {"G007",
            Severity::Info,
            node.name(),
            node.qualifiedOp(),
            "Gradients stop at " + node.describe() + " as chosen: " + count + " frozen (" + listed +
                ").",
            "To train them, remove the choice.",
            parameters};
}

bool stopsAtSomeOutputs(const Node& node) {
    const auto stops = [](const Value* output) {
        return output != nullptr && output->stopsGradients();
    };
    const auto passes = [](const Value* output) {
        return output != nullptr && !output->stopsGradients();
    };
    return std::ranges::any_of(node.outputs(), stops) &&
           std::ranges::any_of(node.outputs(), passes);
}

/// The names of the values that gradients reach in spite of the stops. An operator with several
/// outputs is replaced by its decomposition, since not all of them may depend on all of its inputs.
std::set<std::string> reachedDespiteStops(const Graph& graph, const OpCatalog& catalog,
                                          const std::vector<Value*>& outputs) {
    const std::unique_ptr<Graph> copy = graph.clone();
    while (lowerNodes(*copy, catalog, stopsAtSomeOutputs)) {
    }
    std::vector<Value*> ends;
    for (const Value* output : outputs) ends.push_back(copy->at(output->name()));
    std::set<std::string> names;
    for (const Value* value : reachedByGradients(*copy, catalog, ends)) names.insert(value->name());
    return names;
}

}  // namespace

StoppedValues resolveStopGradient(const Graph& graph, const std::vector<std::string>& choices) {
    StoppedValues result;
    for (const std::string& choice : choices) {
        bool found = false;
        for (const Node* node : graph.nodes()) {
            for (std::string& name : meantOutputs(choice, *node)) {
                found = true;
                if (std::ranges::find(result.names, name) == result.names.end()) {
                    result.names.push_back(std::move(name));
                }
            }
        }
        if (!found) result.findings.push_back(unknownChoice(choice));
    }
    return result;
}

std::vector<std::string> withStopAt(const Graph& graph, std::vector<std::string> choices,
                                    const Node& node) {
    for (std::string& choice : choicesFor(graph, node)) {
        if (std::ranges::find(choices, choice) == choices.end()) {
            choices.push_back(std::move(choice));
        }
    }
    return choices;
}

std::vector<std::string> withoutStopAt(const Graph& graph, const std::vector<std::string>& choices,
                                       const Node& node) {
    std::vector<std::string> left;
    for (const std::string& choice : choices) {
        if (meantOutputs(choice, node).empty()) {
            left.push_back(choice);
            continue;
        }
        for (const Node* other : graph.nodes()) {
            if (other == &node || meantOutputs(choice, *other).empty()) continue;
            left = withStopAt(graph, std::move(left), *other);
        }
    }
    return left;
}

StoppedGradients stopGradients(Graph& graph, const OpCatalog& catalog,
                               const std::vector<std::string>& names,
                               const std::vector<Value*>& outputs,
                               const std::vector<Value*>& parameters) {
    const ReachedValues before = reachedByGradients(graph, catalog, outputs);
    for (const std::string& name : names) graph.at(name)->setStopsGradients(true);
    const std::set<std::string> after = reachedDespiteStops(graph, catalog, outputs);
    StoppedGradients result;
    ReachedValues cutOff;
    for (const Value* parameter : parameters) {
        if (!before.contains(parameter) || after.contains(parameter->name())) continue;
        cutOff.insert(parameter);
        result.cutOff.push_back(parameter->name());
    }
    const Node* last = nullptr;
    for (const std::string& name : names) {
        const Node* node = graph.at(name)->producer();
        if (node == std::exchange(last, node)) continue;
        std::vector<std::string> stopped;
        for (const Value* value : valuesBefore(graph, catalog, *node)) {
            if (cutOff.contains(value)) stopped.push_back(value->name());
        }
        std::ranges::sort(stopped);
        if (!stopped.empty()) result.findings.push_back(stopReport(*node, stopped));
    }
    return result;
}

}  // namespace temper
