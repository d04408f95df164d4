// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/workspace.h"

#include <QAction>
#include <QStandardPaths>

namespace temper::ui {
namespace {

QString scratchRoot(const QSettings& settings) {
    const QString standard =
        QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) +
        QStringLiteral("/unsaved");
    return settings.value(QStringLiteral("scratchFolder"), standard).toString();
}

}  // namespace

Workspace::Workspace(QSettings& stored)
    : settings(stored),
      documents(*project.tasks(), scratchRoot(settings)),
      recent(settings),
      projects(*project.tasks(), settings),
      controller(&run),
      history(project, documents, projects, run, controller),
      commands(settings),
      training(project, run, controller, navigator, history),
      queue(project, run, controller, navigator, history),
      autosave(project) {
    project.store().setScratchRoot(scratchRoot(settings));
    QObject::connect(&project, &StudioProject::fileOpened, &recent, &RecentFiles::add);
    const auto refreshDocuments = [this] {
        if (!project.store().isMovingRuns()) documents.refresh();
    };
    const auto tidyRuns = [this, refreshDocuments] {
        if (run.isActive() || controller.isLeavingRun()) return;
        project.store().moveRunsWhenIdle();
        refreshDocuments();
    };
    QObject::connect(&run, &RunModel::stateChanged, &project, tidyRuns);
    QObject::connect(&project.store(), &ProjectStore::runsToMove, &project, tidyRuns);
    QObject::connect(&controller, &RunController::runLeft, &project, tidyRuns);
    QObject::connect(&controller, &RunController::runLeft, &history, &RunHistory::reload);
    for (const auto signal : {&StudioProject::folderChanged, &StudioProject::modelChanged})
        QObject::connect(&project, signal, &documents, &UntitledDocuments::refresh);
    QObject::connect(&project.store(), &ProjectStore::movingChanged, &documents, refreshDocuments);
    documents.refresh();
    QObject::connect(&history, &RunHistory::readyToContinue, &training, [this] {
        training.continueFromLoaded();
        training.start()->trigger();
    });
    QObject::connect(&navigator, &Navigator::commandRequested, &commands,
                     [this](const QString& id) {
                         if (QAction* action = commands.action(id)) action->trigger();
                     });
}

PanelContext Workspace::panelContext(DetailView& inspector) {
    return {project,  run,      controller, navigator, history,  queue,
            training, commands, inspector,  log,       settings, capture};
}

void Workspace::silence(const QObject* listener) {
    const std::initializer_list<QObject*> members = {
        &project,        &documents, &projects,   project.undoStack(),
        project.tasks(), &run,       &controller, &history,
        &navigator,      &commands,  &log,        &training,
        &queue,          &recent,    &autosave,   &capture};
    for (QObject* member : members) QObject::disconnect(member, nullptr, listener, nullptr);
}

}  // namespace temper::ui
