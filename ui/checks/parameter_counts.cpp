// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checks/parameter_counts.h"

#include "ui/document/studio_project.h"

namespace temper::ui {

std::set<std::string> parametersThatTrain(const StudioProject& project) {
    const auto& preparation = project.preparation();
    if (!preparation || preparation->spec != project.spec().artifacts)
        return trainedParameters(project.model()->parameters, project.spec().artifacts);
    const ArtifactPlan& plan = preparation->plan;
    std::set<std::string> names(plan.trainable.begin(), plan.trainable.end());
    for (const Finding& finding : plan.findings) {
        if (finding.severity != Severity::Error) continue;
        for (const std::string& name : finding.parameters) names.erase(name);
    }
    return names;
}

ParameterCounts trainingCounts(const StudioProject& project) {
    return countParameters(project.model()->parameters, parametersThatTrain(project));
}

}  // namespace temper::ui
