// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/opened_project.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include "engine/core/file.h"
#include "engine/training/projects/project_archive.h"
#include "engine/training/projects/project_file.h"
#include "ui/document/project_folder.h"
#include "ui/document/view_file.h"
#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

QString unpackingPlace(const QString& path) {
    const QString beside = QFileInfo(path).absolutePath();
    return QFileInfo(beside).isWritable()
               ? beside
               : QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

}  // namespace

QString projectFolderOf(const QString& path) {
    const QFileInfo info(path);
    const QString folder = info.isDir() ? path : info.absolutePath();
    const bool named = info.isDir() || info.fileName() == QStringLiteral("project.json");
    return named && isProjectFolder(folder.toStdString()) ? QDir(folder).absolutePath() : QString();
}

void loadModelOf(OpenedProject& opened, const OpSet& ops, const std::stop_token& stop) {
    if (const auto name = lessonOf(opened.spec.model)) {
        opened.lesson = findLesson(*name);
        opened.model = loadForwardModel(*opened.lesson, ops, opened.spec, stop);
    } else {
        opened.model = loadForwardModel(opened.spec.model, ops, opened.spec, stop);
    }
}

OpenedProject openSource(const QString& path, const OpSet& ops, const std::stop_token& stop) {
    OpenedProject opened;
    const std::filesystem::path file = path.toStdString();
    if (file.extension() == ".json") {
        opened.spec = trainingSpecFromJson(readFile(file));
    } else {
        opened.spec.model = file.string();
    }
    loadModelOf(opened, ops, stop);
    return opened;
}

OpenedProject openLessonProject(const std::string& name, const OpSet& ops,
                                const std::stop_token& stop) {
    const Lesson lesson = findLesson(name);
    return {loadForwardModel(lesson, ops, {}, stop), lesson.spec, lesson};
}

OpenedProject openProject(std::shared_ptr<ProjectFolder> folder, const OpSet& ops,
                          const std::stop_token& stop) {
    OpenedProject opened;
    ProjectFile file = readProject(folder->path().toStdString());
    opened.folder = std::move(folder);
    opened.isEdited = opened.folder->isScratch();  // not saved by the user
    opened.spec = std::move(file.spec);
    opened.view = readView(opened.folder->path());
    if (opened.view.isEmpty())  // from a version that kept it in the project's file
        for (const auto& [key, value] : file.view) opened.view.insert(text(key), text(value));
    loadModelOf(opened, ops, stop);
    return opened;
}

OpenedProject openProjectArchive(const QString& path, const std::shared_ptr<ProjectFolder>& held,
                                 const OpSet& ops, const std::stop_token& stop) {
    const UnpackedProject unpacked =
        unpackProject(path.toStdString(), unpackingPlace(path).toStdString(),
                      [&stop](double) { return !stop.stop_requested(); });
    const QString folder = QString::fromStdString(unpacked.folder.string());
    // The folder may be this window's own.
    const bool isHeld = held && held->path() == folder;
    OpenedProject opened =
        openProject(isHeld ? held : std::shared_ptr(ProjectFolder::open(folder, false)), ops, stop);
    opened.archive = path;
    opened.wasUnpacked = unpacked.wasThere;
    return opened;
}

}  // namespace temper::ui
