// SPDX-License-Identifier: Apache-2.0
#include "capi/src/trainability.h"

#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "capi/src/operators.h"
#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/weight_hints.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/parameters/parameter_selection.h"

namespace temper::capi {
namespace {

void append(std::vector<Finding>& findings, std::vector<Finding> more) {
    findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
}

/// What keeps gradients of the outputs from the parameters; changes the graph.
std::vector<Finding> gradientFindings(Graph& graph, const OpSet& ops,
                                      const std::vector<ParameterInfo>& parameters) {
    std::vector<Value*> outputs, trainable;
    for (Value* output : graph.outputs())
        if (isFloating(output->type().dtype)) outputs.push_back(output);
    for (const ParameterInfo& info : parameters)
        if (info.parameterClass == ParameterClass::Trainable)
            trainable.push_back(graph.at(info.name));
    if (outputs.empty() || trainable.empty()) return {};
    std::vector<Finding> findings =
        analyzeTrainability(graph, ops.catalog, ops.gradients, outputs, trainable);
    offerReplacements(graph, findings);
    if (hasErrors(findings)) return findings;
    return tryGradients(graph, ops.catalog, ops.gradients, outputs, trainable);
}

}  // namespace

std::vector<Finding> findingsOf(const Graph& model, std::vector<Finding> findings) {
    const std::shared_ptr<const OpSet> ops = sharedOps();
    const std::unique_ptr<Graph> graph = foldedForTraining(model, *ops, {});
    widenHalfPrecision(*graph, ops->catalog);
    if (const auto remark = remarkOnHalfPrecision(*graph)) findings.push_back(*remark);
    const auto parameters = classifyParameters(*graph, ops->catalog);
    append(findings, findHiddenWeights(*graph, ops->catalog, parameters));
    append(findings, gradientFindings(*graph, *ops, parameters));
    dropRepeatedFindings(findings);
    return findings;
}

std::vector<ParameterReport> parametersOf(const Graph& model,
                                          const std::vector<Finding>& findings) {
    std::set<std::string> blocked;
    for (const Finding& finding : findings) {
        if (finding.severity == Severity::Error)
            blocked.insert(finding.parameters.begin(), finding.parameters.end());
    }
    std::vector<ParameterReport> reports;
    for (ParameterInfo& info : classifyParameters(model, sharedOps()->catalog)) {
        const bool trains =
            info.parameterClass == ParameterClass::Trainable && !blocked.contains(info.name);
        reports.push_back({std::move(info), trains});
    }
    return reports;
}

}  // namespace temper::capi
