// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/autosave.h"

#include <QFile>
#include <chrono>
#include <utility>

#include "ui/document/studio_project.h"

namespace temper::ui {
namespace {

/// Edits in a row (a wheel turned, a pattern typed) are written once.
constexpr std::chrono::seconds kDelay{2};

}  // namespace

Autosave::Autosave(StudioProject& project, const QString& draftFolder, QObject* parent)
    : QObject(parent), project_(project), drafts_(draftFolder) {
    timer_.setSingleShot(true);
    timer_.setInterval(kDelay);
    connect(&timer_, &QTimer::timeout, this, &Autosave::write);
    connect(&project_, &StudioProject::specChanged, this, [this] { timer_.start(); });
    connect(&project_, &StudioProject::modelChanged, this, &Autosave::modelChanged);
    connect(&project_, &StudioProject::aboutToClose, this, [this] {
        flush();
        own_.reset();
    });
    // Saved, or undone to what was saved.
    connect(project_.undoStack(), &QUndoStack::cleanChanged, this, [this](bool isClean) {
        if (isClean) dropDraft();
    });
    look();
}

// ---- what is offered ---------------------------------------------------------------------------

void Autosave::modelChanged() {
    if (generation_ == project_.generation()) return;
    generation_ = project_.generation();
    const bool restores = std::exchange(restoresWhenOpen_, false);
    if (restores && offered_ && project_.model() &&
        drafts_.isOf(*offered_, project_.spec().model)) {
        // Behind the signals of the opening, which is not through yet.
        QMetaObject::invokeMethod(this, &Autosave::useOffered, Qt::QueuedConnection);
        return;
    }
    look();
}

void Autosave::look() {
    if (!project_.model())
        offered_ = drafts_.newest();
    else if (project_.store().hasPlace())
        offered_.reset();
    else
        offered_ = drafts_.newestOf(project_.spec().model);
    // The files were read again: these are the choices that are there.
    if (offered_ && project_.model() &&
        drafts_.textOf(offered_->spec) == drafts_.textOf(project_.spec())) {
        own_ = std::make_shared<DraftFile>(offered_->path);
        offered_.reset();
    }
    emit offeredChanged();
}

void Autosave::restore() {
    if (!offered_) return;
    if (project_.model()) return useOffered();
    restoresWhenOpen_ = true;
    if (const auto lesson = lessonOf(offered_->spec.model))
        return project_.openLesson(text(*lesson));
    project_.openFile(text(offered_->spec.model));
}

void Autosave::useOffered() {
    if (!offered_ || !project_.model()) return;
    const Draft draft = *std::exchange(offered_, {});
    dropDraft();
    own_ = std::make_shared<DraftFile>(draft.path);
    TrainingSpec spec = draft.spec;
    spec.model = project_.spec().model;
    project_.edit(tr("Restore choices"), spec);
    emit offeredChanged();
}

void Autosave::discard() {
    if (!offered_) return;
    QFile::remove(offered_->path);
    look();
}

// ---- writing -----------------------------------------------------------------------------------

bool Autosave::needsDraft() const {
    return project_.model() && !project_.store().hasPlace() && !project_.undoStack()->isClean();
}

void Autosave::write() {
    project_.autosave();
    if (needsDraft()) writeDraft();
}

/// Of the choices as they are now; may run on any thread.
std::function<void()> Autosave::writingDraft() {
    if (!own_) own_ = drafts_.begin(project_.spec().model);
    return [writer = writer_, turn = writer_->next(), path = own_->path(), spec = project_.spec()] {
        writer->write(path, turn, [&] { DraftFile::write(path, spec); });
    };
}

void Autosave::writeDraft() {
    const auto failed = [this](const Problem& problem) {
        if (!std::exchange(hasFailed_, true)) emit project_.problemFound(problem);
    };
    const QString failure = tr("The choices could not be kept");
    try {
        project_.tasks()->run(
            tr("Keeping choices"), failure,
            [work = writingDraft()](std::stop_token) {
                work();
                return true;
            },
            [this](bool) { hasFailed_ = false; }, failed);
    } catch (...) {
        failed(problemFrom(std::current_exception(), failure));
    }
}

void Autosave::dropDraft() {
    if (!own_) return;
    // Takes a turn: what is being written does not come back.
    writer_->write(own_->path(), writer_->next(), [this] { QFile::remove(own_->path()); });
    own_.reset();
}

void Autosave::flush() {
    timer_.stop();
    project_.saveNow();
    // Also of a project whose folder can't be written.
    if (!project_.model() || project_.undoStack()->isClean()) return;
    try {
        writingDraft()();
    } catch (...) {
        emit project_.problemFound(
            problemFrom(std::current_exception(), tr("The choices could not be kept")));
    }
}

}  // namespace temper::ui
