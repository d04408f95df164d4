// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/offers.h"

#include <QAction>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "engine/training/projects/project_file.h"
#include "ui/checks/problem_list.h"
#include "ui/window/messages.h"
#include "ui/window/run_guard.h"
#include "ui/window/workspace.h"

namespace temper::ui {
namespace {

constexpr auto kLastProjectKey = "lastProject";

QString fixedBatchTitle() { return Offers::tr("The model accepts a fixed number of samples"); }

QString fineTuningTitle() { return Offers::tr("Model and data are open"); }

BannerAction action(const QString& text, std::function<void()> run) {
    return {QStringLiteral("bannerAction"), text, std::move(run)};
}

}  // namespace

Offers::Offers(const WindowContext& context) : context_(context) {
    Workspace& work = context_.work;
    connect(&work.project, &StudioProject::fileChanged, this, &Offers::offerReload);
    connect(&work.history, &RunHistory::unfinishedFound, this, &Offers::offerToContinue);
    connect(&work.queue, &RunQueue::waitingFound, this, &Offers::offerQueue);
    connect(&work.queue, &RunQueue::done, this, &Offers::tellOfQueue);
    connect(&work.project, &StudioProject::preparationChanged, this, &Offers::offerFreeBatch);
    connect(&work.project, &StudioProject::dataChanged, this, &Offers::offerFineTuning);
    connect(&work.run, &RunModel::stateChanged, this, &Offers::withdrawProposals);
    connect(&work.project, &StudioProject::specChanged, this, &Offers::withdrawProposals);
    const auto remember = [&work] {
        work.settings.setValue(kLastProjectKey, work.project.store().folder());
    };
    connect(&work.project, &StudioProject::folderChanged, this, remember);
    connect(&work.project, &StudioProject::modelChanged, this, remember);
}

void Offers::offerToContinue(const UnfinishedRun& found) {
    if (context_.work.run.isActive()) return;
    // The user agreed before the project was opened.
    if (std::exchange(continued_, {}) == context_.work.project.store().folder())
        return resume(found.run.id);
    const auto waiting = static_cast<int>(context_.work.queue.waiting());
    context_.messages.offer(
        Banner::Kind::Attention,
        {tr("%1 was interrupted").arg(text(found.run.name)),
         tr("It reached step %1 of %2; its last checkpoint is from step %3.")
             .arg(found.run.step)
             .arg(found.run.totalSteps)
             .arg(found.point.step),
         waiting == 0 ? QString() : tr("%Ln runs are waiting for it to end.", nullptr, waiting)},
        action(tr("Continue at step %1").arg(found.point.step),
               [this, id = found.run.id] { resume(id); }));
}

void Offers::resume(int64_t id) {
    context_.work.history.resume(id);
    if (context_.work.queue.waiting() > 0) context_.work.queue.setOn(true);
}

void Offers::offerQueue(int count) {
    context_.messages.offer(
        Banner::Kind::Attention,
        {tr("%Ln runs are waiting", nullptr, count),
         tr("They were put into the queue before the project was closed."),
         {}},
        action(tr("Run the queue"), [this] { context_.work.queue.setOn(true); }));
}

/// A model that takes a fixed number of samples trains slowly, or not at all. Once for each
/// document; fine-tuning is offered after it, with the model that was changed.
void Offers::offerFreeBatch() {
    StudioProject& project = context_.work.project;
    const auto& preparation = project.preparation();
    if (!preparation || project.spec().freeBatch || context_.work.run.isActive()) return;
    const auto& findings = preparation->plan.findings;
    const auto fixed = std::ranges::find(findings, "W008", &Finding::code);
    if (fixed == findings.end()) return;
    const std::vector<ProblemFix> fixes = fixesOf(*fixed, project);
    if (fixes.empty() || std::exchange(freed_, project.generation()) == project.generation())
        return;
    if (context_.messages.isShown(fineTuningTitle())) fineTuned_ = 0;
    context_.messages.offer(Banner::Kind::Attention, {fixedBatchTitle(), text(fixed->message), {}},
                            action(fixes.front().label, fixes.front().apply));
}

void Offers::offerFineTuning() {
    const StudioProject& project = context_.work.project;
    const bool isNew = project.model() && project.data() && !project.lesson() &&
                       project.spec().artifacts == ArtifactSpec{};
    if (!isNew || context_.work.run.isActive() || context_.messages.isShown(fixedBatchTitle()))
        return;
    if (std::exchange(fineTuned_, project.generation()) == project.generation()) return;
    context_.messages.offer(
        Banner::Kind::Info,
        {fineTuningTitle(),
         tr("Loss, normalization, learning rate and the rest can be proposed from them."),
         {}},
        action(tr("Fine-tune…"), [this] {
            context_.work.commands.action(QStringLiteral("training.fineTune"))->trigger();
        }));
}

/// Proposals come before training and before choices of one's own.
void Offers::withdrawProposals() {
    const bool isTrained = context_.work.run.isActive();
    const TrainingSpec& spec = context_.work.project.spec();
    if (isTrained || spec.artifacts != ArtifactSpec{})
        context_.messages.withdraw(fineTuningTitle());
    if (!isTrained && !spec.freeBatch) return;
    context_.messages.withdraw(fixedBatchTitle());
}

void Offers::tellOfQueue(const std::vector<int64_t>& finished, int failed) {
    const auto count = static_cast<int>(finished.size());
    const QString message = failed == 0 ? tr("%Ln runs finished.", nullptr, count)
                                        : tr("%Ln runs finished, ", nullptr, count) +
                                              tr("%Ln failed.", nullptr, failed);
    context_.messages.offer(failed == 0 ? Banner::Kind::Good : Banner::Kind::Attention,
                            {tr("The queue is done"), message, {}},
                            action(tr("Compare runs"), [this, finished] {
                                Navigator& navigator = context_.work.navigator;
                                emit navigator.dockRequested(QStringLiteral("runs"));
                                emit navigator.comparisonRequested(finished);
                            }));
}

void Offers::offerReload(const QString& path) {
    context_.messages.offer(
        Banner::Kind::Info,
        {tr("%1 was changed by another program").arg(QFileInfo(path).fileName()),
         tr("The window shows it as it was when opened."),
         {}},
        action(tr("Reload"), [this] {
            context_.guard.whenIdle(tr("Stop training and reload the files?"),
                                    [this] { context_.work.project.reload(); });
        }));
}

/// The program may have died during a run, or been closed with the project open.
void Offers::offerLastProject() {
    Workspace& work = context_.work;
    const QString folder = work.settings.value(kLastProjectKey).toString();
    if (folder.isEmpty() || !isProjectFolder(folder.toStdString())) return;
    work.project.tasks()->run(
        tr("Reading runs"), tr("The history of runs could not be read"),
        [path = std::filesystem::path(folder.toStdString())](
            std::stop_token) -> std::optional<UnfinishedRun> {
            const std::optional<StoredRun> run = newestInterrupted(path);
            if (!run) return std::nullopt;
            return UnfinishedRun{*run, resumePointOf(*run, path)};
        },
        [this, folder](const std::optional<UnfinishedRun>& found) {
            if (!found || context_.work.project.model()) return;
            const StoredRun& run = found->run;
            context_.messages.offer(
                Banner::Kind::Attention,
                {tr("%1 was interrupted").arg(text(run.name)),
                 tr("The program ended during training, at step %1 of %2.")
                     .arg(run.step)
                     .arg(run.totalSteps),
                 tr("Its checkpoints and curves are kept.")},
                action(tr("Continue at step %1").arg(found->point.step), [this, folder] {
                    continued_ = folder;
                    emit openRequested(folder);
                }));
        },
        {});
}

}  // namespace temper::ui
