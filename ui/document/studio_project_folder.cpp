// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>

#include "engine/core/file.h"
#include "engine/training/projects/project_file.h"
#include "ui/document/project_folder.h"
#include "ui/document/studio_project.h"
#include "ui/document/view_file.h"

namespace temper::ui {

QString StudioProject::folder() const { return folder_ ? folder_->path() : QString(); }

bool StudioProject::hasPlace() const {
    return target_ != nullptr || (folder_ != nullptr && !folder_->isScratch());
}

QString StudioProject::name() const {
    if (target_) return QFileInfo(target_->path()).fileName();
    if (hasPlace()) return QFileInfo(folder_->path()).fileName();
    return model_ ? model_->title : QString();
}

QString StudioProject::ensureFolder() {
    if (folder_) return folder_->path();
    folder_ = ProjectFolder::makeScratch(scratchRoot_);
    writeProject({spec_, {}}, folder_->path().toStdString());
    emit folderChanged();
    return folder_->path();
}

QString StudioProject::place() const { return (target_ ? target_ : folder_)->path(); }

/// Of the choices as they are now; may run on any thread.
std::function<void()> StudioProject::writing(const QString& path) {
    return [writer = writer_, turn = writer_->next(), project = ProjectFile{spec_, {}},
            view = view_, path] {
        writer->write(path, turn, [&] {
            writeProject(project, path.toStdString());
            writeView(view, path);
        });
    };
}

void StudioProject::write(const QString& path, std::function<void()> done) {
    emit aboutToSave();
    tasks_.run(
        tr("Saving"), tr("The project could not be saved"),
        [work = writing(path)](std::stop_token) {
            work();
            return true;
        },
        [this, path, spec = spec_, generation = generation_, done = std::move(done)](bool) {
            if (generation != generation_) return;  // another model is open
            done();
            if (spec == spec_ && hasPlace()) undoStack_.setClean();
            emit saved(path);
        },
        [this](const Problem& problem) { emit problemFound(problem); });
}

void StudioProject::save() {
    if (hasPlace()) write(place(), [this] { emit fileOpened(place()); });
}

void StudioProject::autosave() {
    if (folder_ && !undoStack_.isClean()) write(place(), [] {});
}

void StudioProject::saveNow() {
    if (!folder_) return;
    try {
        emit aboutToSave();
        if (!undoStack_.isClean()) {
            writing(place())();
        } else if (view_ != writtenView_) {
            writer_->write(place(), writer_->next(), [this] { writeView(view_, place()); });
        }
        writtenView_ = view_;
        if (hasPlace()) undoStack_.setClean();
    } catch (...) {
        emit problemFound(
            problemFrom(std::current_exception(), tr("The project could not be saved")));
    }
}

void StudioProject::saveAs(const QString& path, bool mayMoveRuns) {
    const QString chosen = QDir(path).absolutePath();
    if (hasPlace() && chosen == place()) return save();
    try {
        std::shared_ptr<ProjectFolder> target = ProjectFolder::open(chosen, false);
        write(chosen, [this, target, mayMoveRuns] {
            const bool bringsRuns = folder_ && folder_->isScratch();
            (bringsRuns ? target_ : folder_) = target;
            emit fileOpened(target->path());
            if (bringsRuns && mayMoveRuns) return moveRunsWhenIdle();
            emit folderChanged();
        });
    } catch (...) {
        emit problemFound(
            problemFrom(std::current_exception(), tr("The project could not be saved")));
    }
}

void StudioProject::moveRunsWhenIdle() {
    if (!target_) return;
    tasks_.run(
        tr("Moving runs"), tr("The runs could not be moved into the project"),
        [from = folder_->path(), to = target_->path()](std::stop_token) {
            moveRuns(from, to);
            return true;
        },
        [this](bool) {
            const QString scratch = folder_->path();
            folder_ = std::move(target_);
            QDir(scratch).removeRecursively();
            emit folderChanged();
        },
        [this](const Problem& problem) { emit problemFound(problem); });
}

void StudioProject::saveSpec(const QString& path) {
    tasks_.run(
        tr("Saving"), tr("The project could not be saved"),
        [json = toJson(spec_), file = path.toStdString()](std::stop_token) {
            writeFileAtomically(file, json);
            return true;
        },
        [this, path](bool) {
            undoStack_.setClean();
            emit fileOpened(path);
        },
        [this](const Problem& problem) { emit problemFound(problem); });
}

}  // namespace temper::ui
