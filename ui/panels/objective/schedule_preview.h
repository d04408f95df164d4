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

/// The learning rate of each step of the planned run, with draggable points.
class SchedulePreview : public QWidget {
    Q_OBJECT
public:
    explicit SchedulePreview(StudioProject& project, QWidget* parent = nullptr);

    /// Draws the schedule of the project's choices; without data, over an assumed number of steps.
    void refresh();
    PlotView* plot() { return plot_; }

private:
    /// Optimizer steps of the run, or 0 if they can't be known yet.
    /// Throws: Error for invalid numbers, and for fewer samples than one fixed batch.
    int64_t plannedSteps() const;
    int64_t drawnSteps() const;
    /// Throws: Error for an invalid schedule.
    void draw(const RunSpec& run, int64_t steps);
    void connectHandles();
    void drag(int handle, std::optional<double> x, std::optional<double> y);
    void drop(int handle);

    StudioProject& project_;
    std::vector<ScheduleHandle> handles_;
    RunSpec before_;   ///< the state when dragging began
    RunSpec dragged_;  ///< the current state
    int64_t dragSteps_ = 0;
    PlotView* plot_;
    QLabel* remark_;
};

}  // namespace temper::ui
