// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/training/spec/training_spec.h"
#include "ui/panels/objective/schedule_handles.h"

class QLabel;

namespace temper::ui {

class PlotView;
class StudioProject;

/// The learning rate of each step of the run to come, with points of it that can be dragged.
class SchedulePreview : public QWidget {
    Q_OBJECT
public:
    explicit SchedulePreview(StudioProject& project, QWidget* parent = nullptr);

    /// Draws the schedule of the project's choices; over an assumed number of steps without data.
    void refresh();
    PlotView* plot() { return plot_; }

private:
    /// Optimizer steps of the run, or 0 if they can't be known yet.
    /// Throws: Error for numbers that no run takes, and for less samples than one fixed batch.
    int64_t plannedSteps() const;
    int64_t drawnSteps() const;
    /// Throws: Error for a schedule that is not valid.
    void draw(const RunSpec& run, int64_t steps);
    void connectHandles();
    void drag(int handle, std::optional<double> x, std::optional<double> y);
    void drop(int handle);

    StudioProject& project_;
    std::vector<ScheduleHandle> handles_;
    RunSpec before_;   ///< what is dragged, as it was when it was grabbed
    RunSpec dragged_;  ///< as it is now
    int64_t dragSteps_ = 0;
    PlotView* plot_;
    QLabel* remark_;
};

}  // namespace temper::ui
