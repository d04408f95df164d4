// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/stages.h"

#include <algorithm>

#include "engine/training/loss/loss_function.h"
#include "engine/training/parameters/trainable_choice.h"
#include "ui/project/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

StageStatus openModelFirst() { return {StageState::Locked, tr("Open a model first")}; }

int64_t errorCount(const std::vector<Finding>& findings) {
    return std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::Error;
    });
}

/// Nodes that keep gradients from parameters: the model's matter, not the loss's.
int64_t gradientErrors(const StudioProject& project) {
    const auto& preparation = project.preparation();
    if (!preparation) return 0;
    const auto& findings = preparation->plan.findings;
    return std::count_if(findings.begin(), findings.end(), isGradientError);
}

bool hasObjectiveProblem(const StudioProject& project) {
    const auto& preparation = project.preparation();
    if (!preparation) return false;
    return !preparation->problem.isEmpty() ||
           errorCount(preparation->plan.findings) > gradientErrors(project);
}

/// A metric that fitted a loss need not fit the next one.
bool isBestMetricKnown(const StudioProject& project) {
    const std::string& chosen = project.spec().run.bestMetric;
    const std::vector<std::string>& metrics = project.preparation()->metrics;
    return chosen == "loss" || std::ranges::find(metrics, chosen) != metrics.end();
}

bool areMetricsKnown(const StudioProject& project) {
    const std::vector<std::string>& metrics = project.preparation()->metrics;
    return std::ranges::all_of(project.spec().run.metrics, [&metrics](const std::string& chosen) {
        return std::ranges::find(metrics, chosen) != metrics.end();
    });
}

QString problemCount(int64_t count) {
    return tr("%n problems found", nullptr, static_cast<int>(count));
}

}  // namespace

bool isGradientError(const Finding& finding) {
    return finding.severity == Severity::Error && finding.code.starts_with('G');
}

StageStatus modelStatus(const StageContext& context) {
    const auto& model = context.project.model();
    if (!model) return {StageState::Attention, tr("Open a model")};
    const int64_t errors = errorCount(model->typeFindings) + gradientErrors(context.project);
    if (errors > 0) return {StageState::Attention, problemCount(errors)};
    return {StageState::Done,
            tr("%Ln nodes", nullptr, static_cast<int>(model->graph->nodeCount()))};
}

StageStatus parametersStatus(const StageContext& context) {
    const auto& model = context.project.model();
    if (!model) return openModelFirst();
    const ParameterCounts counts = countParameters(
        model->parameters, trainedParameters(model->parameters, context.project.spec().artifacts));
    if (counts.trainedTensors == 0) return {StageState::Attention, tr("Nothing trains")};
    return {StageState::Done, tr("%1 of %2 train")
                                  .arg(counts.trainedTensors)
                                  .arg(counts.trainedTensors + counts.frozenTensors)};
}

StageStatus objectiveStatus(const StageContext& context) {
    if (!context.project.model()) return openModelFirst();
    if (hasObjectiveProblem(context.project))
        return {StageState::Attention, tr("Loss does not fit")};
    for (const Choice& choice : lossChoices())
        if (choice.key == context.project.spec().artifacts.loss.key)
            return {StageState::Done, engineText(choice.label)};
    return {StageState::Done, tr("Formula")};
}

StageStatus dataStatus(const StageContext& context) {
    const StudioProject& project = context.project;
    if (!project.model()) return openModelFirst();
    if (project.isLoadingData()) return {StageState::Running, tr("Reading…")};
    if (!project.dataProblem().isEmpty()) return {StageState::Attention, tr("Could not be read")};
    if (!project.data()) return {StageState::Attention, tr("Choose data")};
    const auto& preparation = project.preparation();
    if (preparation && hasErrors(preparation->proposal.findings))
        return {StageState::Attention, tr("An input is not bound")};
    return {StageState::Done,
            tr("%Ln samples", nullptr, static_cast<int>(project.data()->training()->size()))};
}

StageStatus trainStatus(const StageContext& context) {
    switch (context.run.state()) {
        case RunState::Preparing:
        case RunState::Running:
        case RunState::Stopping: {
            const int64_t total = std::max<int64_t>(1, context.run.totalSteps());
            return {StageState::Running, tr("%1 % done").arg(100 * context.run.step() / total)};
        }
        case RunState::Paused: return {StageState::Running, tr("Paused")};
        case RunState::Failed: return {StageState::Attention, tr("Training failed")};
        case RunState::Finished: return {StageState::Done, tr("Finished")};
        case RunState::Stopped: return {StageState::Done, tr("Stopped")};
        case RunState::Idle: break;
    }
    if (!context.project.model()) return openModelFirst();
    const StartObstacle obstacle = startObstacle(context.project);
    if (!obstacle.text.isEmpty()) return {StageState::Locked, obstacle.text};
    return {StageState::Ready, tr("Ready to start")};
}

StageStatus evaluateStatus(const StageContext& context) {
    if (!context.project.model()) return openModelFirst();
    const auto& preparation = context.project.preparation();
    if (!context.project.data()) return {StageState::Locked, tr("Choose data")};
    if (!preparation || !preparation->artifacts)
        return {StageState::Locked, tr("Prepare training")};
    return {StageState::Ready, tr("Look at predictions")};
}

StageStatus exportStatus(const StageContext& context) {
    if (!context.project.model()) return openModelFirst();
    if (!context.controller.hasSession()) return {StageState::Locked, tr("Train first")};
    return {StageState::Ready, tr("Ready to export")};
}

StartObstacle startObstacle(const StudioProject& project) {
    if (!project.model()) return {tr("Open a model first"), QStringLiteral("model")};
    const auto& preparation = project.preparation();
    if (project.isPreparing() || !preparation) return {tr("Preparing…"), QStringLiteral("train")};
    if (preparation->plan.trainable.empty())
        return {tr("Nothing trains"), QStringLiteral("parameters")};
    if (hasObjectiveProblem(project)) return {tr("Loss does not fit"), QStringLiteral("objective")};
    if (!preparation->artifacts) return {tr("The model can't train yet"), QStringLiteral("model")};
    if (!isBestMetricKnown(project))
        return {tr("“Best by” does not fit the loss"), QStringLiteral("objective")};
    if (!areMetricsKnown(project))
        return {tr("A metric does not fit the loss"), QStringLiteral("objective")};
    if (project.isLoadingData()) return {tr("Reading data…"), QStringLiteral("data")};
    if (!project.data()) return {tr("Choose data"), QStringLiteral("data")};
    if (!project.isReadyToTrain()) return {tr("An input is not bound"), QStringLiteral("data")};
    return {};
}

}  // namespace temper::ui
