// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/run_failure.h"

#include <QAction>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "engine/training/projects/lesson.h"
#include "ui/commands/navigator.h"
#include "ui/document/studio_project.h"
#include "ui/panels/train/checkpoint_pane.h"
#include "ui/run/run_model.h"
#include "ui/run/training_actions.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

bool hasNodeNamed(const Graph& graph, const std::string& name) {
    return std::ranges::any_of(graph.nodes(),
                               [&name](const Node* node) { return node->name() == name; });
}

/// Data of a lesson is inside the program and can't be lost.
std::string dataPathOf(const std::string& source) {
    try {
        return lessonOf(source) ? std::string() : parseDataSpec(source).path;
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

RunFailure::RunFailure(const PanelContext& context, CheckpointPane& checkpoints, QObject* parent)
    : QObject(parent), context_(context), checkpoints_(checkpoints) {
    connect(&context_.run, &RunModel::stateChanged, this,
            [this](RunState state) { isDataLost_ = state == RunState::Failed && isOfData(); });
    connect(&checkpoints_, &CheckpointPane::loaded, this, [this] {
        if (std::exchange(isResuming_, false)) context_.training.start()->trigger();
    });
    connect(&checkpoints_, &CheckpointPane::failed, this, [this] { isResuming_ = false; });
    connect(&checkpoints_, &CheckpointPane::misfit, this, [this] { isResuming_ = false; });
}

bool RunFailure::isOfNumbers() const {
    const auto& end = context_.run.end();
    return end && !end->code.empty();
}

bool RunFailure::isOfData() const {
    const RunSpec& run = context_.project.spec().run;
    const auto& end = context_.run.end();
    if (!end || isOfNumbers()) return false;
    return std::ranges::any_of(
        std::array{dataPathOf(run.data), dataPathOf(run.evalData)}, [&](const std::string& path) {
            return !path.empty() && (!QFileInfo::exists(QString::fromStdString(path)) ||
                                     end->message.find(path) != std::string::npos);
        });
}

const CheckpointEntry* RunFailure::newestCheckpoint() const {
    const CheckpointEntry* newest = nullptr;
    for (const CheckpointEntry& entry : context_.run.checkpoints())
        if (entry.isOfRun && (newest == nullptr || entry.step >= newest->step)) newest = &entry;
    return newest;
}

std::optional<int64_t> RunFailure::goodStep() const {
    const auto& end = context_.run.end();
    std::optional<int64_t> step = end ? end->goodStep : std::nullopt;
    const CheckpointEntry* newest = isOfNumbers() ? nullptr : newestCheckpoint();
    if (newest != nullptr && newest->step > step.value_or(-1)) step = newest->step;
    return step;
}

Problem RunFailure::problem() const {
    Problem problem = context_.run.problem();
    if (isMended()) {
        problem.message = tr("Its data could not be read and has been chosen again.");
        problem.hint = tr("Continue, or start again.");
    }
    if (const auto step = goodStep())
        problem.hint =
            tr("The last good state is from step %1. %2").arg(integerText(*step), problem.hint);
    return problem;
}

std::vector<BannerAction> RunFailure::remedies() {
    std::vector<BannerAction> actions;
    if (isOfNumbers()) {
        addRollBack(actions);
    } else {
        if (isOfData())
            actions.push_back({"chooseDataButton", tr("Choose the data again"),
                               [this] { emit context_.navigator.pageRequested("data"); }});
        addContinue(actions);
    }
    addExplanations(actions);
    return actions;
}

void RunFailure::addRollBack(std::vector<BannerAction>& actions) {
    if (!goodStep()) return;
    TrainingActions& training = context_.training;
    actions.push_back({"lowerRateButton", training.lowerRate()->text(),
                       [&training] { training.lowerRate()->trigger(); }});
    actions.push_back({"rollBackButton", training.rollBack()->text(),
                       [&training] { training.rollBack()->trigger(); }});
}

void RunFailure::addContinue(std::vector<BannerAction>& actions) {
    const auto step = goodStep();
    if (step.value_or(0) == 0) return;
    actions.push_back({"continueButton", tr("Continue at step %1").arg(integerText(*step)),
                       [this] { resume(); }, actions.empty()});
}

void RunFailure::addExplanations(std::vector<BannerAction>& actions) {
    const auto& end = context_.run.end();
    if (!end) return;
    const auto& model = context_.project.model();
    if (!end->node.empty() && model && hasNodeNamed(*model->graph, end->node))
        actions.push_back({"openNodeButton", tr("Open node"), [this, node = text(end->node)] {
                               emit context_.navigator.nodeRequested(node);
                           }});
    if (!end->code.empty())
        actions.push_back(
            {"explainButton", tr("Explain %1").arg(text(end->code)),
             [this, code = text(end->code)] { emit context_.navigator.termRequested(code); }});
}

/// Resumes from the newest state: a checkpoint, or the one kept in memory.
void RunFailure::resume() {
    const CheckpointEntry* newest = newestCheckpoint();
    if (newest == nullptr || newest->step < goodStep()) return context_.training.resumeFromGood();
    isResuming_ = true;
    checkpoints_.load(newest->path);
}

}  // namespace temper::ui
