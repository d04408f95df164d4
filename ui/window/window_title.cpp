// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_title.h"

#include <QWidget>

#include "ui/document/studio_project.h"
#include "ui/run/run_model.h"

namespace temper::ui {

WindowTitle::WindowTitle(QWidget& window, StudioProject& project, const RunModel& run)
    : window_(window), project_(project), run_(run) {
    connect(&project_, &StudioProject::modelChanged, this, &WindowTitle::refresh);
    connect(&project_, &StudioProject::specChanged, this, &WindowTitle::refresh);
    connect(&project_, &StudioProject::saved, this, &WindowTitle::refresh);
    connect(project_.undoStack(), &QUndoStack::cleanChanged, this, &WindowTitle::refresh);
    connect(&run_, &RunModel::stateChanged, this, &WindowTitle::refresh);
    connect(&run_, &RunModel::updated, this, &WindowTitle::refresh);
    refresh();
}

void WindowTitle::refresh() {
    QString title = tr("Temper Studio");
    if (project_.model()) {
        const QString mark = project_.undoStack()->isClean() ? QString() : QStringLiteral("*");
        title = tr("%1%2 – %3").arg(project_.name(), mark, title);
    }
    if (run_.isActive() && run_.totalSteps() > 0)
        title = QStringLiteral("%1 % ").arg(100 * run_.step() / run_.totalSteps()) + title;
    if (title != window_.windowTitle()) window_.setWindowTitle(title);
}

}  // namespace temper::ui
