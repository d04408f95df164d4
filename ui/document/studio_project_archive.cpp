// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <QJsonDocument>
#include <QStandardPaths>

#include "engine/training/projects/project_archive.h"
#include "ui/document/project_folder.h"
#include "ui/document/studio_project.h"

namespace temper::ui {
namespace {

/// Beside the file, or among the documents where nothing can be written there.
QString unpackingPlace(const QString& path) {
    const QString beside = QFileInfo(path).absolutePath();
    return QFileInfo(beside).isWritable()
               ? beside
               : QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

}  // namespace

void StudioProject::saveArchive(const QString& path, bool withRuns) {
    emit aboutToSave();
    PackOptions options;
    options.withRuns = withRuns;
    options.texts["view.json"] = QJsonDocument(view_).toJson().toStdString();
    tasks_.letCancel(tasks_.run(
        tr("Packing the project"), tr("The project could not be saved as one file"),
        [project = ProjectFile{spec_, {}}, folder = folder(), path,
         options = std::move(options)](std::stop_token stop) {
            return packProject(project, folder.toStdString(), path.toStdString(), options,
                               [&stop](double) { return !stop.stop_requested(); });
        },
        [this, path](const PackedProject& packed) {
            QStringList leftOut;
            for (const std::string& data : packed.leftOut) leftOut << text(data);
            emit archiveSaved(path, packed.bytes, leftOut);
        },
        [this](const Problem& problem) {
            if (!problem.isCancelled) report(problem);
        }));
}

void StudioProject::openArchive(const QString& path) {
    startOpening(tr("Opening %1").arg(QFileInfo(path).fileName()),
                 [path, held = folder_, ops = ops_](std::stop_token stop) {
                     const UnpackedProject unpacked =
                         unpackProject(path.toStdString(), unpackingPlace(path).toStdString(),
                                       [&stop](double) { return !stop.stop_requested(); });
                     const QString folder = QString::fromStdString(unpacked.folder.string());
                     // The folder may be this window's own.
                     const bool isHeld = held && held->path() == folder;
                     Opened opened = openProject(
                         isHeld ? held : std::shared_ptr(ProjectFolder::open(folder, false)), *ops,
                         stop);
                     opened.archive = path;
                     opened.wasUnpacked = unpacked.wasThere;
                     return opened;
                 },
                 {});
}

}  // namespace temper::ui
