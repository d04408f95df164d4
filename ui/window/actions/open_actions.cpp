// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/open_actions.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>
#include <algorithm>

#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/document/file_kind.h"
#include "ui/widgets/open_window.h"
#include "ui/window/command_menus.h"
#include "ui/window/leave_guard.h"
#include "ui/window/messages.h"
#include "ui/window/recent_menu.h"
#include "ui/window/workspace.h"

namespace temper::ui {

OpenActions::OpenActions(const WindowContext& context, CommandMenus& menus) : ActionGroup(context) {
    add(QStringLiteral("file.open"), MenuId::File, tr("Open…"), QStringLiteral("open"),
        {QKeySequence::Open}, [this] { askOpen(); });
    auto* recent = new RecentMenu(context_.work.recent, &context_.window);
    connect(recent, &RecentMenu::chosen, this, &OpenActions::open);
    menus.addMenu(MenuId::File, recent);
    connect(&context_.work.navigator, &Navigator::openRequested, this, &OpenActions::askOpen);
    connect(&context_.work.navigator, &Navigator::fileRequested, this, &OpenActions::open);
    connect(&context_.work.navigator, &Navigator::lessonRequested, this,
            [this](const QString& name) {
                context_.leaving.leave(tr("Stop training and open the lesson?"),
                                       [this, name] { openLesson(name); });
            });
}

void OpenActions::askOpen() {
    const QString path = QFileDialog::getOpenFileName(
        &context_.window, tr("Open"), {},
        tr("Models and projects (*.onnx *.ort *.json *.temper);;All files (*)"));
    if (!path.isEmpty()) open(path);
}

void OpenActions::open(const QString& path) {
    context_.messages.clear();
    switch (kindOfFile(path)) {
        case FileKind::Checkpoint: return openCheckpoint(path);
        case FileKind::Data: return openData(path);
        case FileKind::Model: break;
    }
    const UntitledDocument* document = context_.work.documents.find(path);
    const QString name = document ? document->title : QFileInfo(path).fileName();
    context_.leaving.leave(tr("Stop training and open %1?").arg(name),
                           [this, path] { context_.work.project.openFile(path); });
}

void OpenActions::openAll(const QStringList& paths) {
    const auto isModel = [](const QString& path) { return kindOfFile(path) == FileKind::Model; };
    const auto model = std::ranges::find_if(paths, isModel);
    const auto openOthers = [this, paths, first = model - paths.begin()] {
        for (qsizetype i = 0; i < paths.size(); ++i)
            if (i != first) open(paths[i]);
    };
    if (model == paths.end()) return openOthers();
    StudioProject& project = context_.work.project;
    auto* once = new QObject(this);
    connect(&project, &StudioProject::opened, once, [once, openOthers] {
        once->deleteLater();
        openOthers();
    });
    connect(&project, &StudioProject::problemFound, once, [once] { once->deleteLater(); });
    open(*model);
}

void OpenActions::openLesson(const QString& name) { context_.work.project.openLesson(name); }

void OpenActions::openData(const QString& path) {
    StudioProject& project = context_.work.project;
    if (!project.model())
        return context_.messages.report(
            {tr("%1 is data, not a model").arg(QFileInfo(path).fileName()),
             tr("Data needs a model."), tr("Open a model first, then drop the data again.")});
    try {
        TrainingSpec spec = project.spec();
        spec.run.data = proposeDataSpec(path.toStdString(), spec.run.data);
        spec.run.evalData.clear();
        spec.run.binding.clear();
        project.edit(tr("Choose training data"), spec);
        emit context_.work.navigator.pageRequested(QStringLiteral("data"));
    } catch (...) {
        context_.messages.report(
            problemFrom(std::current_exception(), tr("This data can't be read")));
    }
}

void OpenActions::openCheckpoint(const QString& path) {
    StudioProject& project = context_.work.project;
    auto* dialog = new CheckpointDialog(path, *project.tasks(), &context_.window);
    dialog->setModel(project.model());
    openWindow(dialog);
}

QString OpenActions::openedPath() const {
    const StudioProject& project = context_.work.project;
    return project.store().held() ? project.store().folder() : text(project.spec().model);
}

void OpenActions::reopen(const QString& openedPath) {
    if (const auto lesson = lessonOf(openedPath.toStdString())) return openLesson(text(*lesson));
    if (!openedPath.isEmpty()) open(openedPath);
}

}  // namespace temper::ui
