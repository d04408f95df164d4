// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/save_actions.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMainWindow>
#include <utility>

#include "engine/training/projects/project_archive.h"
#include "ui/window/messages.h"
#include "ui/window/save_place.h"
#include "ui/window/workspace.h"

namespace temper::ui {

SaveActions::SaveActions(const WindowContext& context) : ActionGroup(context) {
    QAction* save = add(QStringLiteral("file.save"), MenuId::File, tr("Save"),
                        QStringLiteral("save"), {QKeySequence::Save}, [this] { this->save(); });
    needModel({save,
               add(QStringLiteral("file.saveAs"), MenuId::File, tr("Save as…"), {},
                   {QKeySequence("Ctrl+Shift+S")}, [this] { askSaveAs(); }),
               add(QStringLiteral("file.saveChoices"), MenuId::File, tr("Save choices only…"), {},
                   {}, [this] { askSaveChoices(); }),
               add(QStringLiteral("file.saveArchive"), MenuId::File, tr("Save as one file…"), {},
                   {}, [this] { askSaveArchive(true); }),
               add(QStringLiteral("file.handOut"), MenuId::File, tr("Export for students…"), {}, {},
                   [this] { askSaveArchive(false); })});
    StudioProject& project = context_.work.project;
    const auto refresh = [&project, save] {
        save->setText(project.store().hasPlace() ? tr("Save") : tr("Save…"));
    };
    connect(&project, &StudioProject::folderChanged, save, refresh);
    connect(&project, &StudioProject::modelChanged, save, refresh);
    connect(&project, &StudioProject::saved, save, refresh);
    refresh();
    connect(&project, &StudioProject::saved, this, &SaveActions::projectSaved);
    connect(&project, &StudioProject::problemFound, this, [this] { tellsPlace_ = false; });
    connect(&project, &StudioProject::archiveSaved, this, &SaveActions::archiveSaved);
    connect(&project, &StudioProject::archiveOpened, this, &SaveActions::archiveOpened);
}

void SaveActions::save() {
    if (!context_.work.project.store().hasPlace()) return askSaveAs();
    tellsPlace_ = true;
    context_.work.project.save();
}

void SaveActions::askSaveAs() {
    StudioProject& project = context_.work.project;
    const QString path = askSavePlace(context_.window, project);
    if (path.isEmpty()) return;
    tellsPlace_ = true;
    project.saveAs(path);
}

void SaveActions::askSaveChoices() {
    const QString path =
        QFileDialog::getSaveFileName(&context_.window, tr("Save choices"),
                                     QStringLiteral("training.json"), tr("Choices (*.json)"));
    if (!path.isEmpty()) context_.work.project.saveSpec(path);
}

void SaveActions::askSaveArchive(bool withRuns) {
    StudioProject& project = context_.work.project;
    const QString ending = QString::fromLatin1(kProjectArchiveEnding);
    QString path = QFileDialog::getSaveFileName(
        &context_.window,
        withRuns ? tr("Save the project as one file") : tr("Export the project for students"),
        QFileInfo(project.name()).completeBaseName() + ending, tr("Projects (*.temper)"));
    if (path.isEmpty()) return;
    if (!isProjectArchivePath(path.toStdString())) path += ending;
    project.saveArchive(path, withRuns);
}

void SaveActions::archiveSaved(const QString& path, qint64 bytes, const QStringList& leftOut) {
    const QString name = QFileInfo(path).fileName();
    const QString saved =
        tr("The project is in %1 (%2).").arg(name, QLocale().formattedDataSize(bytes));
    if (leftOut.isEmpty()) return context_.messages.tell(saved);
    context_.messages.note(saved);
    context_.messages.show(
        Banner::Kind::Attention,
        {tr("%1 does not contain the data").arg(name),
         tr("%1 is too large, or has files elsewhere.").arg(leftOut.join(QStringLiteral(", "))),
         tr("Pass on the data, too; whoever opens the project chooses it again.")});
}

/// Projects are also saved automatically, without a word.
void SaveActions::projectSaved(const QString& folder) {
    if (!std::exchange(tellsPlace_, false)) return;
    context_.messages.tell(
        tr("The project is saved in %1; its runs and checkpoints are kept there, too.")
            .arg(folder));
}

void SaveActions::archiveOpened(const QString& path, bool wasThere) {
    context_.messages.tell(
        (wasThere ? tr("%1 was already unpacked: this is the project as you left it, in %2.")
                  : tr("%1 was unpacked into %2."))
            .arg(QFileInfo(path).fileName(), context_.work.project.store().folder()));
}

}  // namespace temper::ui
