// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace temper::ui {

class PlotView;
class StudioProject;

/// The learning rate of each step of the run to come.
class SchedulePreview : public QWidget {
    Q_OBJECT
public:
    explicit SchedulePreview(StudioProject& project, QWidget* parent = nullptr);

    /// Draws the schedule of the project's choices; over an assumed number of steps without data.
    void refresh();
    PlotView* plot() { return plot_; }

private:
    /// Optimizer steps of the run, or 0 where they can't be known yet.
    int64_t plannedSteps() const;

    StudioProject& project_;
    PlotView* plot_;
    QLabel* remark_;
};

}  // namespace temper::ui
