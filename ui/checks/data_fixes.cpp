// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checks/data_fixes.h"

#include <algorithm>
#include <cmath>

#include "engine/data/data_health.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/projects/lesson.h"
#include "ui/document/studio_project.h"
#include "ui/messages/hint_text.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

QString labelOf(const Finding& finding) {
    if (finding.code == "D106") return tr("Leave out the copies");
    if (finding.code == "D107") return tr("Leave them out of validation");
    if (finding.code == "D109") return tr("Normalize them");
    return tr("Leave out these samples");
}

/// Whether the finding's hint, as the window shows it, tells to choose this button.
bool namesButton(const Finding& finding, const QString& button) {
    return hintText(finding.hint).contains(QStringLiteral("“%1”").arg(button));
}

/// For data refused because a sample can't be read.
void addUnreadableFix(const Finding& finding, StudioProject& project,
                      std::vector<ProblemFix>& fixes) {
    const QString label = tr("Leave out these samples");
    if (project.data() || !namesButton(finding, label)) return;
    fixes.push_back(
        {label, [&project, label] { editDataOption(project, label, "invalid", "drop"); }});
}

/// For a table refused because values are missing.
void addMissingFixes(const Finding& finding, StudioProject& project,
                     std::vector<ProblemFix>& fixes) {
    const QString label = tr("Leave out these rows");
    if (!namesButton(finding, label)) return;
    fixes.push_back({label, [&project] {
                         editDataOption(project, tr("Leave out incomplete rows"), "missing",
                                        "drop");
                     }});
    fixes.push_back({tr("Fill in the mean"), [&project] {
                         editDataOption(project, tr("Fill in missing values"), "missing", "mean");
                     }});
}

/// For targets that are numbers, but outside the range of the loss. A formula names its losses.
void addLossFix(const Finding& finding, StudioProject& project, std::vector<ProblemFix>& fixes) {
    if (finding.code != "D123" || finding.hint.find("regression loss") == std::string::npos) return;
    if (findLossFunction(project.spec().artifacts.loss.key) == nullptr) return;
    constexpr auto kSquared = "mse";
    const QString label = tr("Use “%1”").arg(engineText(findLossFunction(kSquared)->choice.label));
    fixes.push_back({label, [&project, label] {
                         TrainingSpec spec = project.spec();
                         spec.artifacts.loss = {kSquared, {}};
                         project.edit(label, spec);
                     }});
}

}  // namespace

bool takesClassWeights(const Selection& loss) {
    const auto isWeight = [](const HyperParameter& each) { return each.key == kClassWeights; };
    return std::ranges::any_of(lossChoices(), [&](const Choice& choice) {
        return choice.key == loss.key && std::ranges::any_of(choice.hyperParameters, isWeight);
    });
}

const Column* classColumnOf(const LoadedData& data) {
    for (const Column& column : data.training()->columns())
        if (column.isTarget && !column.classes.empty()) return &column;
    return nullptr;
}

void weighClasses(StudioProject& project) {
    const auto data = project.data();
    const Column* column = data ? classColumnOf(*data) : nullptr;
    if (column == nullptr) return;
    const auto index = static_cast<size_t>(column - data->training()->columns().data());
    std::vector<double> weights = balancedClassWeights(countClasses(*data->training(), index));
    for (double& weight : weights) weight = std::round(weight * 1e4) / 1e4;
    TrainingSpec spec = project.spec();
    spec.artifacts.loss.lists[kClassWeights] = std::move(weights);
    project.edit(tr("Balance the classes"), spec);
}

void removeClassWeights(StudioProject& project) {
    TrainingSpec spec = project.spec();
    if (spec.artifacts.loss.lists.erase(kClassWeights) == 0) return;
    project.edit(tr("No class weights"), spec);
}

std::vector<ProblemFix> dataFixesOf(const Finding& finding, StudioProject& project) {
    std::vector<ProblemFix> fixes;
    addMissingFixes(finding, project, fixes);
    addUnreadableFix(finding, project, fixes);
    if (!project.data()) return fixes;
    addLossFix(finding, project, fixes);
    if (const auto fix = fixFor(finding, project.data()->opened.spec))
        fixes.push_back({labelOf(finding), [&project, fix = *fix, label = labelOf(finding)] {
                             editDataOption(project, label, fix.option, fix.value);
                         }});
    const Selection& loss = project.spec().artifacts.loss;
    const bool isUneven = finding.code == "D103" || finding.code == "D108";
    if (isUneven && takesClassWeights(loss) && !loss.lists.contains(kClassWeights))
        fixes.push_back(
            {tr("Balance the classes in the loss"), [&project] { weighClasses(project); }});
    return fixes;
}

void editDataOptions(StudioProject& project, const QString& text,
                     const std::function<void(std::map<std::string, std::string>&)>& change,
                     int mergeId) {
    TrainingSpec spec = project.spec();
    try {
        DataSpec data = parseDataSpec(spec.run.data, lessonFiles());
        change(data.options);
        spec.run.data = formatDataSpec(data);
    } catch (const Error&) {  // missing data has no options
        emit project.problemFound(
            problemFrom(std::current_exception(), tr("The data could not be changed")));
        return;
    }
    project.edit(text, spec, mergeId);
}

void editDataOption(StudioProject& project, const QString& text, const std::string& option,
                    const std::string& value, int mergeId) {
    const auto change = [&](std::map<std::string, std::string>& options) {
        if (value.empty())
            options.erase(option);
        else
            options[option] = value;
    };
    editDataOptions(project, text, change, mergeId);
}

}  // namespace temper::ui
