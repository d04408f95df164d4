// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/project_store.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <utility>

#include "engine/core/file.h"
#include "engine/training/projects/project_archive.h"
#include "engine/training/projects/project_file.h"
#include "ui/document/project_folder.h"
#include "ui/document/view_file.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

ProjectStore::ProjectStore(TaskRunner& tasks, QObject* parent) : QObject(parent), tasks_(tasks) {}

ProjectStore::~ProjectStore() = default;

void ProjectStore::open(std::shared_ptr<ProjectFolder> folder, const QJsonObject& view) {
    close();
    folder_ = std::move(folder);
    writtenView_ = view;
    emit folderChanged();
}

void ProjectStore::close() {
    ++project_;
    folder_.reset();
    target_.reset();
    writtenView_ = {};
    setMovingRuns(false);
}

void ProjectStore::discard() {
    const std::shared_ptr<ProjectFolder> folder = hasPlace() ? nullptr : folder_;
    close();
    if (!folder) return;
    // Takes a turn, so that a pending write does not restore the folder.
    writer_->write(folder->path(), writer_->next(), [&folder] { folder->remove(); });
    emit folderChanged();
}

QString ProjectStore::folder() const { return folder_ ? folder_->path() : QString(); }

bool ProjectStore::hasPlace() const {
    return target_ != nullptr || (folder_ != nullptr && !folder_->isScratch());
}

QString ProjectStore::name() const {
    return hasPlace() ? QFileInfo(place()).fileName() : QString();
}

QString ProjectStore::place() const { return (target_ ? target_ : folder_)->path(); }

bool ProjectStore::isScratch(const QString& folder) const {
    return !scratchRoot_.isEmpty() && folder.startsWith(scratchRoot_);
}

QString ProjectStore::ensureFolder(const TrainingSpec& spec) {
    if (folder_) return folder_->path();
    folder_ = ProjectFolder::makeScratch(scratchRoot_);
    writeProject({spec, {}}, folder_->path().toStdString());
    emit folderChanged();
    return folder_->path();
}

/// May run on any thread.
std::function<void()> ProjectStore::writing(const QString& path, const ProjectContents& contents) {
    return [writer = writer_, turn = writer_->next(), contents, path] {
        writer->write(path, turn, [&] {
            writeProject({contents.spec, {}}, path.toStdString());
            writeView(contents.view, path);
        });
    };
}

void ProjectStore::write(const QString& path, const ProjectContents& contents,
                         std::function<void()> done) {
    tasks_.mustFinish(tasks_.run(
        tr("Saving"), tr("The project could not be saved"),
        [work = writing(path, contents)](std::stop_token) {
            work();
            return true;
        },
        [this, path, spec = contents.spec, project = project_, done = std::move(done)](bool) {
            if (project != project_) return;  // another one is open
            done();
            emit saved(path, spec);
        },
        [this](const Problem& problem) { emit problemFound(problem); }));
}

void ProjectStore::save(const ProjectContents& contents) {
    write(place(), contents, [this] { emit fileOpened(place()); });
}

void ProjectStore::keep(const ProjectContents& contents) {
    write(place(), contents, [] {});
}

bool ProjectStore::keepNow(const ProjectContents& contents, bool isEdited) {
    try {
        if (isEdited)
            writing(place(), contents)();
        else if (contents.view != writtenView_)
            writer_->write(place(), writer_->next(), [&] { writeView(contents.view, place()); });
        writtenView_ = contents.view;
        return true;
    } catch (...) {
        emit problemFound(
            problemFrom(std::current_exception(), tr("The project could not be saved")));
        return false;
    }
}

void ProjectStore::rescue(const ProjectContents& contents) {
    try {
        const auto folder = ProjectFolder::makeScratch(scratchRoot_);
        writeProject({contents.spec, {}}, folder->path().toStdString());
        writeView(contents.view, folder->path());
    } catch (...) {
        emit problemFound(
            problemFrom(std::current_exception(), tr("The choices could not be saved")));
    }
}

void ProjectStore::saveAs(const QString& path, const ProjectContents& contents) {
    const QString chosen = QDir(path).absolutePath();
    if (hasPlace() && chosen == place()) return save(contents);
    try {
        std::shared_ptr<ProjectFolder> target = ProjectFolder::open(chosen, false);
        write(chosen, contents, [this, target] {
            const bool bringsRuns = folder_ && folder_->isScratch();
            (bringsRuns ? target_ : folder_) = target;
            emit fileOpened(target->path());
            if (bringsRuns) emit runsToMove();
            if (!isMovingRuns_) emit folderChanged();
        });
    } catch (...) {
        emit problemFound(
            problemFrom(std::current_exception(), tr("The project could not be saved")));
    }
}

void ProjectStore::moveRunsWhenIdle() {
    if (!target_ || isMovingRuns_) return;
    setMovingRuns(true);
    const auto end = [this, project = project_](bool isMoved) {
        if (project != project_) return emit movingChanged();  // another one is open
        if (isMoved) folder_ = std::move(target_);
        setMovingRuns(false);
        if (isMoved) emit folderChanged();
    };
    // The task holds both folders: nobody opens them meanwhile, even if the project is closed.
    tasks_.mustFinish(tasks_.run(
        tr("Moving runs"), tr("The runs could not be moved into the project"),
        [from = folder_, to = target_, writer = writer_, turn = writer_->next()](std::stop_token) {
            moveRuns(from->path(), to->path());
            writer->write(from->path(), turn, [&from] { from->remove(); });
            return true;
        },
        end,
        [this, end](const Problem& problem) {
            end(false);
            emit problemFound(problem);
        }));
}

void ProjectStore::setMovingRuns(bool areMoving) {
    if (std::exchange(isMovingRuns_, areMoving) != areMoving) emit movingChanged();
}

void ProjectStore::saveSpec(const QString& path, const TrainingSpec& spec) {
    tasks_.mustFinish(tasks_.run(
        tr("Saving"), tr("The project could not be saved"),
        [json = toJson(spec), file = path.toStdString()](std::stop_token) {
            writeFileAtomically(file, json);
            return true;
        },
        [this, path](bool) { emit specSaved(path); },
        [this](const Problem& problem) { emit problemFound(problem); }));
}

void ProjectStore::saveArchive(const QString& path, const ProjectContents& contents,
                               bool withRuns) {
    PackOptions options;
    options.withRuns = withRuns;
    options.texts["view.json"] = QJsonDocument(contents.view).toJson().toStdString();
    tasks_.mustFinish(tasks_.letCancel(tasks_.run(
        tr("Packing the project"), tr("The project could not be saved as one file"),
        [project = ProjectFile{contents.spec, {}}, folder = folder(), path,
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
            if (!problem.isCancelled) emit problemFound(problem);
        })));
}

}  // namespace temper::ui
