// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/model_findings.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/weight_hints.h"
#include "engine/ir/tensor_sources.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/parameters/parameter_selection.h"

namespace temper {
namespace {

/// What keeps gradients of the outputs from the parameters; changes the graph.
std::vector<Finding> gradientFindings(Graph& graph, const OpSet& ops,
                                      const std::vector<ParameterInfo>& parameters) {
    const std::vector<Value*> outputs = outputsOfNumbers(graph);
    std::vector<Value*> trainable;
    for (const ParameterInfo& info : parameters) {
        if (info.parameterClass == ParameterClass::Trainable)
            trainable.push_back(graph.at(info.name));
    }
    if (outputs.empty() || trainable.empty()) return {};
    std::vector<Finding> findings =
        analyzeTrainability(graph, ops.catalog, ops.gradients, outputs, trainable);
    offerReplacements(graph, findings);
    if (hasErrors(findings)) return findings;
    return tryGradients(graph, ops.catalog, ops.gradients, outputs, trainable);
}

}  // namespace

std::vector<Finding> findingsOfModel(const Graph& model, const OpSet& ops,
                                     std::vector<Finding> remarks) {
    std::vector<Finding> findings = std::move(remarks);
    const std::unique_ptr<Graph> graph = foldedForTraining(model, ops, {});
    widenHalfPrecision(*graph, ops.catalog);
    if (const auto remark = remarkOnHalfPrecision(*graph)) findings.push_back(*remark);
    const auto parameters = classifyParameters(*graph, ops.catalog);
    std::ranges::move(findHiddenWeights(*graph, ops.catalog, parameters),
                      std::back_inserter(findings));
    std::ranges::move(gradientFindings(*graph, ops, parameters), std::back_inserter(findings));
    dropRepeatedFindings(findings);
    return findings;
}

std::vector<ModelParameter> parametersOfModel(const Graph& model, const OpSet& ops,
                                              const std::vector<Finding>& findings) {
    std::set<std::string> blocked;
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::Error) continue;
        blocked.insert(finding.parameters.begin(), finding.parameters.end());
    }
    std::vector<ModelParameter> parameters;
    for (ParameterInfo& info : classifyParameters(model, ops.catalog)) {
        const bool trains =
            info.parameterClass == ParameterClass::Trainable && !blocked.contains(info.name);
        parameters.push_back({std::move(info), trains});
    }
    return parameters;
}

}  // namespace temper
