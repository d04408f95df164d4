// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/frozen_statistics.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/core/name_pattern.h"
#include "engine/training/artifacts/eval_model.h"

namespace temper {
namespace {

bool isBatchNorm(const Node& node) {
    return node.qualifiedOp() == "BatchNormalization" && node.output(0) != nullptr;
}

bool isMeant(const std::string& choice, const Node& node) {
    const auto matches = [&choice](const Value* value) {
        return value != nullptr && matchesPattern(choice, value->name());
    };
    return matchesPattern(choice, node.name()) || matches(node.output(0)) ||
           std::any_of(node.inputs().begin() + 1, node.inputs().end(), matches);
}

Finding unknownChoice(const std::string& choice, const std::vector<const Node*>& nodes) {
    Finding finding{
        "A015",
        Severity::Error,
        "",
        "",
        "No batch normalization is called '" + choice + "', whose statistics were to be frozen.",
        "",
        {}};
    if (nodes.empty()) {
        finding.hint =
            "The model has none: remove the choice. The exporter may have merged them into "
            "convolutions.";
        return finding;
    }
    finding.hint = "The model has " + counted(nodes.size(), "batch normalization") + ", e.g. " +
                   nodes.front()->describe() +
                   ". Give the name of one, of its output or of one of its tensors, or a pattern; "
                   "'*' means all.";
    return finding;
}

}  // namespace

FrozenStatistics resolveFrozenStatistics(const Graph& graph,
                                         const std::vector<std::string>& choices) {
    std::vector<const Node*> nodes;
    for (const Node* node : graph.nodes())
        if (isBatchNorm(*node)) nodes.push_back(node);
    FrozenStatistics result;
    for (const std::string& choice : choices) {
        bool found = false;
        for (const Node* node : nodes) {
            if (!isMeant(choice, *node)) continue;
            found = true;
            const std::string& output = node->output(0)->name();
            if (std::ranges::find(result.outputs, output) == result.outputs.end())
                result.outputs.push_back(output);
        }
        if (!found) result.findings.push_back(unknownChoice(choice, nodes));
    }
    return result;
}

void freezeStatistics(Graph& graph, const std::vector<std::string>& outputs) {
    for (const std::string& output : outputs)
        useRunningStatistics(graph, graph.at(output)->producer());
}

}  // namespace temper
