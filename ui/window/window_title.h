// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace temper::ui {

class RunModel;
class StudioProject;

/// The window's title: the project, a mark if it was edited, the completed share of a run.
class WindowTitle : public QObject {
    Q_OBJECT
public:
    /// All arguments outlive it.
    WindowTitle(QWidget& window, StudioProject& project, const RunModel& run);

private:
    void refresh();

    QWidget& window_;
    StudioProject& project_;
    const RunModel& run_;
};

}  // namespace temper::ui
