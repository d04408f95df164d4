// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/autosave.h"

#include <chrono>
#include <utility>

#include "ui/document/studio_project.h"

namespace temper::ui {
namespace {

/// Consecutive edits (a wheel turned, a pattern typed) are written once.
constexpr std::chrono::seconds kDelay{2};

}  // namespace

Autosave::Autosave(StudioProject& project, QObject* parent) : QObject(parent), project_(project) {
    timer_.setSingleShot(true);
    timer_.setInterval(kDelay);
    connect(&timer_, &QTimer::timeout, this, &Autosave::write);
    connect(&project_, &StudioProject::specChanged, this, [this] { timer_.start(); });
    connect(&project_, &StudioProject::aboutToClose, this, &Autosave::flush);
}

bool Autosave::hasFolder() {
    if (!project_.model()) return false;
    if (project_.store().held()) return true;
    if (project_.undoStack()->isClean()) return false;  // the model can simply be opened again
    try {
        project_.ensureFolder();
        hasFailed_ = false;
        return true;
    } catch (...) {
        const Problem problem =
            problemFrom(std::current_exception(), tr("The choices could not be saved"));
        if (!std::exchange(hasFailed_, true)) emit project_.problemFound(problem);
        return false;
    }
}

void Autosave::write() {
    if (hasFolder()) project_.autosave();
}

void Autosave::flush() {
    timer_.stop();
    if (hasFolder()) project_.saveNow();
}

}  // namespace temper::ui
