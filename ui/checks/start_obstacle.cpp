// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checks/start_obstacle.h"

#include <algorithm>

#include "ui/document/studio_project.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// A metric that fits one loss need not fit the next.
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

}  // namespace

int64_t errorCount(const std::vector<Finding>& findings) {
    return std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::Error;
    });
}

bool isGradientError(const Finding& finding) {
    return finding.severity == Severity::Error && finding.code.starts_with('G');
}

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

QString dataObstacle(const StudioProject& project) {
    const auto& findings = project.preparation()->proposal.findings;
    return std::ranges::find(findings, "D123", &Finding::code) != findings.end()
               ? tr("Labels do not fit the loss")
               : tr("An input is not bound");
}

StartObstacle startObstacle(const StudioProject& project) {
    if (!project.model()) return {tr("Open a model first"), QStringLiteral("model")};
    if (!project.model()->faults.empty())
        return {tr("The model contradicts itself"), QStringLiteral("model")};
    if (const Problem& problem = project.preparationProblem(); !problem.isEmpty())
        return {problem.isCancelled ? tr("Preparing was cancelled") : problem.title,
                QStringLiteral("train")};
    const auto& preparation = project.preparation();
    if (project.isPreparing() || !preparation) return {tr("Preparing…"), QStringLiteral("train")};
    if (preparation->plan.trainable.empty())
        return {tr("Nothing to train"), QStringLiteral("parameters")};
    if (hasObjectiveProblem(project)) return {tr("Loss does not fit"), QStringLiteral("objective")};
    if (!preparation->artifacts) return {tr("The model can't train yet"), QStringLiteral("model")};
    if (!isBestMetricKnown(project))
        return {tr("“Best by” does not fit the loss"), QStringLiteral("objective")};
    if (!areMetricsKnown(project))
        return {tr("A metric does not fit the loss"), QStringLiteral("objective")};
    if (project.isLoadingData()) return {tr("Reading data…"), QStringLiteral("data")};
    if (!project.data()) return {tr("Choose data"), QStringLiteral("data")};
    if (!project.isReadyToTrain()) return {dataObstacle(project), QStringLiteral("data")};
    if (project.store().isMovingRuns()) return {tr("Moving the runs…"), QStringLiteral("train")};
    return {};
}

}  // namespace temper::ui
