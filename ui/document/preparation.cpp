// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/preparation.h"

#include <algorithm>

#include "engine/training/binding/binding.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/loss/loss_info.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

bool canReuse(const PreparationRequest& request) {
    return request.previous && request.previous->artifacts &&
           request.previous->spec == request.spec;
}

void describeInputs(Preparation& preparation, const TrainingSession& session) {
    const auto& targets = preparation.plan.loss.reads.targets;
    const std::string tokens = describeLoss(graphWithLoss(session)).tokens;
    for (const std::string& name : session.inputNames()) {
        const bool isTarget = name != tokens && std::ranges::count(targets, name) > 0;
        preparation.inputs.push_back({name, session.inputType(name), isTarget});
    }
}

/// Problems of the evaluation samples, which are bound like those for training.
std::vector<Finding> findingsOfEvaluation(const TrainingSession& session,
                                          const Preparation& preparation) {
    std::vector<Finding> findings =
        proposeBinding(session, *preparation.data->evaluation(), preparation.proposal.binding)
            .findings;
    std::erase_if(findings, [](const Finding& f) { return f.severity != Severity::Error; });
    return findings;
}

void build(Preparation& preparation, const PreparationRequest& request) {
    if (canReuse(request)) {
        preparation.artifacts = request.previous->artifacts;
    } else if (!hasErrors(preparation.plan.findings)) {
        preparation.artifacts = std::make_shared<const Artifacts>(
            generateArtifacts(*request.model->graph, *request.ops, request.spec, preparation.plan));
    }
    if (!preparation.artifacts) return;
    const TrainingSession session(
        *preparation.artifacts,
        std::make_shared<CheckpointState>(preparation.artifacts->checkpoint), request.ops);
    describeInputs(preparation, session);
    preparation.fixedBatch = fixedBatchSize(session, true);
    preparation.target = targetFormOf(session);
    if (const auto& evalModel = preparation.artifacts->evalModel) {
        const std::string kind = describeLoss(*evalModel).kind;
        preparation.metrics = fittingMetrics(kind);
        preparation.usualMetrics = defaultMetrics(kind);
    }
    if (!request.data) return;
    preparation.data = request.data;
    preparation.proposal = proposeBinding(session, *request.data->training(), request.binding);
    std::vector<Finding>& findings = preparation.proposal.findings;
    if (!request.data->evaluation()) return;
    for (Finding& finding : findingsOfEvaluation(session, preparation)) {
        const auto isSame = [&finding](const Finding& f) { return f.message == finding.message; };
        if (std::ranges::none_of(findings, isSame)) findings.push_back(std::move(finding));
    }
}

}  // namespace

std::shared_ptr<const Preparation> prepare(const PreparationRequest& request) {
    auto preparation = std::make_shared<Preparation>();
    preparation->spec = request.spec;
    if (!request.model->faults.empty()) return preparation;
    try {
        preparation->plan = canReuse(request)
                                ? request.previous->plan
                                : planArtifacts(*request.model->graph, *request.ops, request.spec);
        build(*preparation, request);
    } catch (...) {
        preparation->problem =
            problemFrom(std::current_exception(), tr("Training can't be prepared"));
    }
    return preparation;
}

}  // namespace temper::ui
