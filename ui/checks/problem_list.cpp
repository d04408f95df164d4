// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checks/problem_list.h"

#include <algorithm>
#include <iterator>

#include "engine/ir/origin.h"
#include "engine/ir/tensor_sources.h"
#include "engine/training/artifacts/stop_gradient.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/loss/double_activation.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/parameters/trainable_choice.h"
#include "ui/checks/data_fixes.h"
#include "ui/checks/provenance_fixes.h"
#include "ui/checks/start_obstacle.h"
#include "ui/document/planned_steps.h"
#include "ui/document/studio_project.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/number_text.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

Finding findingOf(const Problem& problem, const char* code) {
    Finding finding;
    finding.code = code;
    finding.message = problem.message.toStdString();
    finding.hint = problem.hint.toStdString();
    return finding;
}

QString pageOf(const Finding& finding) {
    return finding.severity == Severity::Error && !isGradientError(finding)
               ? QStringLiteral("objective")
               : QStringLiteral("model");
}

void addModelProblems(const StudioProject& project, std::vector<ListedProblem>& problems) {
    const auto& preparation = project.preparation();
    for (const auto* findings : {&project.model()->faults, &project.model()->remarks})
        for (const Finding& finding : *findings)
            problems.push_back({finding, QStringLiteral("model")});
    const bool planned = preparation && !preparation->plan.findings.empty();
    for (const Finding& finding :
         planned ? preparation->plan.findings : project.model()->typeFindings)
        problems.push_back({finding, planned ? pageOf(finding) : QStringLiteral("model")});
    if (preparation && !preparation->problem.isEmpty())
        problems.push_back({findingOf(preparation->problem, "P001"), QStringLiteral("objective")});
}

void addDataProblems(const StudioProject& project, std::vector<ListedProblem>& problems) {
    if (!project.dataProblem().isEmpty())
        problems.push_back({findingOf(project.dataProblem(), "P002"), QStringLiteral("data")});
    const auto& preparation = project.preparation();
    if (!project.data()) return;
    for (const Finding& finding : project.data()->findings)
        problems.push_back({finding, QStringLiteral("data")});
    if (preparation && preparation->data == project.data())
        for (const Finding& finding : preparation->proposal.findings)
            problems.push_back({finding, QStringLiteral("data")});
}

/// Groups start after a number of steps, whatever the length of the run.
void addRunProblems(const StudioProject& project, std::vector<ListedProblem>& problems) {
    if (!project.data()) return;
    const auto& preparation = project.preparation();
    const int64_t steps = plannedSteps(project.spec().run, project.data()->training()->size(),
                                       preparation ? preparation->fixedBatch : std::nullopt);
    if (steps == 0) return;
    for (const ParameterGroup& group : project.spec().artifacts.parameterGroups) {
        if (group.startStep < steps) continue;
        Finding finding;
        finding.code = "P003";
        finding.severity = Severity::Warning;
        finding.message =
            tr("The parameters of group '%1' never train: the group starts after %2 steps, but the "
               "run has only %3.")
                .arg(text(group.pattern), integerText(group.startStep), integerText(steps))
                .toStdString();
        finding.hint = tr("Train longer, or let the group start earlier.").toStdString();
        problems.push_back({finding, QStringLiteral("objective")});
    }
}

void freeze(StudioProject& project, const std::vector<std::string>& parameters) {
    TrainingSpec spec = project.spec();
    auto trained = trainedParameters(project.model()->parameters, spec.artifacts);
    for (const std::string& name : parameters) trained.erase(name);
    spec.artifacts = withTrainedParameters(spec.artifacts, project.model()->parameters, trained);
    project.edit(tr("Freeze parameters without a gradient"), spec);
}

/// Trains constants that the model uses as weights.
void train(StudioProject& project, const std::vector<std::string>& constants) {
    TrainingSpec spec = project.spec();
    auto trained = trainedParameters(project.model()->parameters, spec.artifacts);
    trained.insert(constants.begin(), constants.end());
    spec.artifacts = withTrainedParameters(spec.artifacts, project.model()->parameters, trained);
    project.edit(tr("Train constants"), spec);
}

/// The node of the model that the finding is about; null if none.
const Node* nodeOf(const Finding& finding, const StudioProject& project) {
    if (!project.model()) return nullptr;
    for (const Node* node : project.model()->graph->nodes()) {
        if (node->name() == finding.node && node->qualifiedOp() == finding.op) return node;
    }
    return nullptr;
}

/// That node, if gradients may pass through it unchanged; else null.
const Node* passableNode(const Finding& finding, const StudioProject& project) {
    const Node* node = finding.code == "G002" ? nodeOf(finding, project) : nullptr;
    return node != nullptr && project.ops()->gradients.maySendStraightThrough(*node) ? node
                                                                                     : nullptr;
}

/// The value that the loss should read, if it reads one after softmax or sigmoid; else null. A
/// formula names its inputs.
const Value* betterLossInput(const Finding& finding, const StudioProject& project) {
    if (!isAboutLossInput(finding) || !project.preparation()) return nullptr;
    if (findLossFunction(project.spec().artifacts.loss.key) == nullptr) return nullptr;
    // Not by name: it may be shared or missing.
    for (const std::string& read : project.preparation()->plan.loss.reads.predictions) {
        const Node* node =
            makerOfNumbers(project.model()->graph->find(read), project.ops()->catalog);
        if (node != nullptr && node->name() == finding.node && node->qualifiedOp() == finding.op)
            return node->input(0);
    }
    return nullptr;
}

/// The tensors from which a sequence or an optional is made that the loss can't read.
std::vector<std::string> possibleSources(const StudioProject& project) {
    constexpr size_t kMaxOffered = 3;
    std::vector<std::string> names;
    if (!project.model() || !project.preparation()) return names;
    if (findLossFunction(project.spec().artifacts.loss.key) == nullptr) return names;
    for (const std::string& read : project.preparation()->plan.loss.reads.predictions) {
        const Value* value = project.model()->graph->find(read);
        if (value == nullptr || value->type().isTensor()) continue;
        for (const Value* source : tensorSources(*value)) names.push_back(source->name());
    }
    names.resize(std::min(names.size(), kMaxOffered));
    return names;
}

/// The outputs that the loss could read, if it is unclear which; only a few are offered as a
/// choice.
std::vector<std::string> possibleLossInputs(const Finding& finding, const StudioProject& project) {
    constexpr size_t kMaxOffered = 4;
    std::vector<std::string> names;
    if (finding.code == "A008") return possibleSources(project);
    if (finding.code != "A004" || !project.model()) return names;
    if (findLossFunction(project.spec().artifacts.loss.key) == nullptr) return names;
    for (const Value* output : project.model()->graph->outputs())
        if (output->type().isTensor() && isFloating(output->type().dtype))
            names.push_back(output->name());
    return names.size() <= kMaxOffered ? names : std::vector<std::string>();
}

/// The node at which a value could be treated as a constant: one without a gradient, found by name;
/// null if none.
const Node* stoppableNode(const Finding& finding, const StudioProject& project) {
    const bool isOfNode =
        finding.code == "G001" || finding.code == "G002" || finding.code == "G004";
    return isOfNode && !finding.node.empty() ? nodeOf(finding, project) : nullptr;
}

/// The replacement for a node that has no gradient or is unknown, found by name; null if none.
const Replacement* replacementOf(const Finding& finding, const StudioProject& project) {
    const bool isOfNode = finding.code.starts_with("G") || finding.code == "T001";
    const Node* node = isOfNode && !finding.node.empty() ? nodeOf(finding, project) : nullptr;
    return node == nullptr ? nullptr : replacementFor(*project.model()->graph, *node);
}

void replaceNode(StudioProject& project, const std::string& name, const QString& by) {
    TrainingSpec spec = project.spec();
    spec.replace.push_back(name);
    project.edit(tr("Replace %1 by %2").arg(text(name), by), spec);
}

void treatAsConstant(StudioProject& project, const std::string& name) {
    for (const Node* node : project.model()->graph->nodes()) {
        if (node->name() != name) continue;
        TrainingSpec spec = project.spec();
        spec.artifacts.stopGradient =
            withStopAt(*project.model()->graph, spec.artifacts.stopGradient, *node);
        return project.edit(tr("Treat %1 as constant").arg(text(name)), spec);
    }
}

void letGradientsThrough(StudioProject& project, const std::string& name) {
    for (const Node* node : project.model()->graph->nodes()) {
        if (node->name() != name) continue;
        TrainingSpec spec = project.spec();
        spec.artifacts.stopGradient =
            withoutStopAt(*project.model()->graph, spec.artifacts.stopGradient, *node);
        return project.edit(tr("Let gradients through %1").arg(text(name)), spec);
    }
}

void passStraightThrough(StudioProject& project, const std::string& name, const std::string& op) {
    TrainingSpec spec = project.spec();
    spec.artifacts.straightThrough.push_back(name.empty() ? op : name);
    project.edit(tr("Pass the gradient straight through %1").arg(text(op)), spec);
}

void freeBatch(StudioProject& project) {
    TrainingSpec spec = project.spec();
    spec.freeBatch = true;
    project.edit(tr("Allow any batch size"), spec);
}

}  // namespace

bool isAboutLossInput(const Finding& finding) { return finding.code == "A013"; }

void letLossRead(StudioProject& project, const std::string& value) {
    TrainingSpec spec = project.spec();
    auto& inputs = spec.artifacts.lossInputs;
    if (inputs.empty()) inputs.emplace_back();
    inputs.front() = value;
    project.edit(tr("Loss reads %1").arg(text(value)), spec);
}

std::vector<ListedProblem> problemsOf(const StudioProject& project) {
    std::vector<ListedProblem> problems;
    if (!project.model()) return problems;
    addModelProblems(project, problems);
    addDataProblems(project, problems);
    addRunProblems(project, problems);
    std::stable_sort(problems.begin(), problems.end(),
                     [](const ListedProblem& a, const ListedProblem& b) {
                         return a.finding.severity > b.finding.severity;
                     });
    return problems;
}

std::vector<ProblemFix> fixesOf(const Finding& finding, StudioProject& project) {
    std::vector<ProblemFix> fixes = dataFixesOf(finding, project);
    if (finding.code == "G007") {
        if (!finding.node.empty() && nodeOf(finding, project) != nullptr)
            fixes.push_back({tr("Let gradients through"), [&project, name = finding.node] {
                                 letGradientsThrough(project, name);
                             }});
        return fixes;  // its parameters are frozen
    }
    if (finding.code == "W001") {
        fixes.push_back(
            {tr("Train it"), [&project, names = finding.parameters] { train(project, names); }});
        return fixes;
    }
    if (finding.code == "W008")
        return {{tr("Allow any batch size"), [&project] { freeBatch(project); }}};
    std::ranges::move(provenanceFixesOf(finding, project), std::back_inserter(fixes));
    if (finding.code.starts_with("S")) return fixes;  // its tensors train as they should
    if (!finding.parameters.empty())
        fixes.push_back(
            {tr("Freeze these %n parameters", nullptr, static_cast<int>(finding.parameters.size())),
             [&project, names = finding.parameters] { freeze(project, names); }});
    if (const Replacement* replacement = replacementOf(finding, project)) {
        const QString by = engineText(replacement->by);
        fixes.push_back({tr("Replace by %1").arg(by),
                         [&project, name = finding.node, by] { replaceNode(project, name, by); }});
    }
    if (const Node* node = stoppableNode(finding, project))
        fixes.push_back({tr("Treat as constant"),
                         [&project, name = node->name()] { treatAsConstant(project, name); }});
    if (const Node* node = passableNode(finding, project))
        fixes.push_back({tr("Pass the gradient straight through"),
                         [&project, name = node->name(), op = node->opType()] {
                             passStraightThrough(project, name, op);
                         }});
    std::vector<std::string> readable = possibleLossInputs(finding, project);
    if (const Value* value = betterLossInput(finding, project)) readable.push_back(value->name());
    for (const std::string& name : readable)
        fixes.push_back({tr("Let the loss read %1").arg(text(name)),
                         [&project, name] { letLossRead(project, name); }});
    return fixes;
}

}  // namespace temper::ui
