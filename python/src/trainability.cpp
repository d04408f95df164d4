// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/trainability.h"
#include "engine/autodiff/weight_hints.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/parameters/parameter_selection.h"
#include "python/src/model.h"

namespace temper::python {
namespace {

std::vector<Value*> trainableValues(const Graph& graph,
                                    const std::vector<ParameterInfo>& parameters) {
    std::vector<Value*> values;
    for (const ParameterInfo& info : parameters) {
        if (info.parameterClass == ParameterClass::Trainable) values.push_back(graph.at(info.name));
    }
    return values;
}

/// What keeps gradients of the outputs from the parameters; changes the graph.
std::vector<Finding> gradientFindings(Graph& graph, const OpSet& ops,
                                      const std::vector<ParameterInfo>& parameters) {
    std::vector<Value*> outputs;
    for (Value* output : graph.outputs()) {
        if (isFloating(output->type().dtype)) outputs.push_back(output);
    }
    const std::vector<Value*> trainable = trainableValues(graph, parameters);
    if (outputs.empty() || trainable.empty()) return {};
    std::vector<Finding> findings =
        analyzeTrainability(graph, ops.catalog, ops.gradients, outputs, trainable);
    offerReplacements(graph, findings);
    if (hasErrors(findings)) return findings;
    return tryGradients(graph, ops.catalog, ops.gradients, outputs, trainable);
}

}  // namespace

std::vector<Finding> findingsOf(const Model& model) {
    const std::shared_ptr<const OpSet> ops = sharedOps();
    std::vector<Finding> findings = model.remarks;
    const std::unique_ptr<Graph> graph = foldedForTraining(*model.graph, *ops, {});
    widenHalfPrecision(*graph, ops->catalog);
    if (const auto remark = remarkOnHalfPrecision(*graph)) findings.push_back(*remark);
    const auto parameters = classifyParameters(*graph, ops->catalog);
    std::ranges::move(findHiddenWeights(*graph, ops->catalog, parameters),
                      std::back_inserter(findings));
    std::ranges::move(gradientFindings(*graph, *ops, parameters), std::back_inserter(findings));
    dropRepeatedFindings(findings);
    return findings;
}

std::vector<ParameterDescription> parametersOf(const Model& model) {
    std::set<std::string> blocked;
    for (const Finding& finding : findingsOf(model)) {
        if (finding.severity != Severity::Error) continue;
        blocked.insert(finding.parameters.begin(), finding.parameters.end());
    }
    std::vector<ParameterDescription> described;
    for (ParameterInfo& info : classifyParameters(*model.graph, sharedOps()->catalog)) {
        const bool trains =
            info.parameterClass == ParameterClass::Trainable && !blocked.contains(info.name);
        described.push_back({std::move(info), trains});
    }
    return described;
}

}  // namespace temper::python
