// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>

#include "engine/core/file.h"
#include "engine/training/project_file.h"
#include "ui/project/project_folder.h"
#include "ui/project/studio_project.h"

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
    writeProject({spec_, view_}, folder_->path().toStdString());
    emit folderChanged();
    return folder_->path();
}

QString StudioProject::view(const QString& key) const {
    const auto found = view_.find(key.toStdString());
    return found == view_.end() ? QString() : text(found->second);
}

void StudioProject::setView(const QString& key, const QString& value) {
    view_[key.toStdString()] = value.toStdString();
}

void StudioProject::write(const QString& path, std::function<void()> done) {
    emit aboutToSave();
    tasks_.run(
        tr("Saving"), tr("The project could not be saved"),
        [project = ProjectFile{spec_, view_}, path](std::stop_token) {
            writeProject(project, path.toStdString());
            return true;
        },
        [this, path, spec = spec_, done = std::move(done)](bool) {
            if (spec == spec_) undoStack_.setClean();
            done();
            emit saved(path);
            emit fileOpened(path);
        },
        [this](const Problem& problem) { emit problemFound(problem); });
}

void StudioProject::save() {
    if (hasPlace()) write(target_ ? target_->path() : folder_->path(), [] {});
}

void StudioProject::saveAs(const QString& path, bool mayMoveRuns) {
    const QString place = QDir(path).absolutePath();
    if (hasPlace() && place == (target_ ? target_ : folder_)->path()) return save();
    try {
        std::shared_ptr<ProjectFolder> target = ProjectFolder::open(place, false);
        write(place, [this, target, mayMoveRuns] {
            const bool bringsRuns = folder_ && folder_->isScratch();
            (bringsRuns ? target_ : folder_) = target;
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
