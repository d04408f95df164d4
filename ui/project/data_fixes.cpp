// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/data_fixes.h"

#include <algorithm>
#include <cmath>

#include "engine/data/data_health.h"
#include "engine/training/lesson.h"
#include "ui/project/studio_project.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr auto kWeights = "weight";

QString labelOf(const Finding& finding) {
    if (finding.code == "D106") return tr("Leave the copies out");
    if (finding.code == "D107") return tr("Leave them out of the validation");
    return tr("Leave these samples out");
}

/// The chosen loss takes a weight for each class.
bool takesWeights(const Selection& loss) {
    for (const Choice& choice : lossChoices()) {
        if (choice.key != loss.key) continue;
        return std::any_of(choice.hyperParameters.begin(), choice.hyperParameters.end(),
                           [](const HyperParameter& each) { return each.key == kWeights; });
    }
    return false;
}

std::vector<double> weightsFor(const LoadedData& data) {
    const auto& columns = data.training()->columns();
    for (size_t i = 0; i < columns.size(); ++i) {
        if (!columns[i].isTarget || columns[i].classes.empty()) continue;
        std::vector<double> weights = balancedClassWeights(countClasses(*data.training(), i));
        for (double& weight : weights) weight = std::round(weight * 1e4) / 1e4;
        return weights;
    }
    return {};
}

void weighClasses(StudioProject& project) {
    if (!project.data()) return;
    TrainingSpec spec = project.spec();
    spec.artifacts.loss.lists[kWeights] = weightsFor(*project.data());
    project.edit(tr("Weigh the classes"), spec);
}

/// A table that was refused because values are missing.
void addMissingFixes(const Finding& finding, StudioProject& project,
                     std::vector<ProblemFix>& fixes) {
    if (finding.hint.find("missing=drop") == std::string::npos) return;
    fixes.push_back({tr("Leave these rows out"), [&project] {
                         editDataOption(project, tr("Leave out incomplete rows"), "missing",
                                        "drop");
                     }});
    fixes.push_back({tr("Fill in the mean"), [&project] {
                         editDataOption(project, tr("Fill in missing values"), "missing", "mean");
                     }});
}

}  // namespace

std::vector<ProblemFix> dataFixesOf(const Finding& finding, StudioProject& project) {
    std::vector<ProblemFix> fixes;
    addMissingFixes(finding, project, fixes);
    if (!project.data()) return fixes;
    if (const auto fix = fixFor(finding, project.data()->opened.spec))
        fixes.push_back({labelOf(finding), [&project, fix = *fix, label = labelOf(finding)] {
                             editDataOption(project, label, fix.option, fix.value);
                         }});
    const Selection& loss = project.spec().artifacts.loss;
    const bool isUneven = finding.code == "D103" || finding.code == "D108";
    if (isUneven && takesWeights(loss) && !loss.lists.contains(kWeights))
        fixes.push_back(
            {tr("Weigh the classes in the loss"), [&project] { weighClasses(project); }});
    return fixes;
}

void editDataOption(StudioProject& project, const QString& text, const std::string& option,
                    const std::string& value, int mergeId) {
    TrainingSpec spec = project.spec();
    try {
        spec.run.data = withOption(parseDataSpec(spec.run.data, lessonFiles()), option, value);
    } catch (const Error&) {  // data that can't be found has no options
        emit project.problemFound(
            problemFrom(std::current_exception(), tr("The data could not be changed")));
        return;
    }
    project.edit(text, spec, mergeId);
}

}  // namespace temper::ui
