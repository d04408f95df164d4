// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <vector>

#include "engine/runs/run_event.h"
#include "ui/panels/panel.h"
#include "ui/run/curve.h"

class QComboBox;

namespace temper::ui {

class PlotView;

/// One metric of some runs in one plot.
class RunOverlay : public QWidget {
    Q_OBJECT
public:
    /// As many as the theme has colours for.
    static constexpr size_t kMostRuns = 7;

    explicit RunOverlay(const PanelContext& context, QWidget* parent = nullptr);

    /// The first kMostRuns of them; their logs are read by a task.
    void showRuns(const std::vector<int64_t>& ids);
    PlotView* plot() const { return plot_; }

private:
    struct RunCurves {
        QString name;
        std::map<std::string, Curve> curves;
    };
    static std::map<std::string, Curve> curvesOf(const std::vector<RunEvent>& events);
    void adopt(std::vector<RunCurves> runs);
    void draw();
    std::string csv() const;

    PanelContext context_;
    QComboBox* metric_;
    PlotView* plot_;
    std::vector<RunCurves> runs_;
    int task_ = 0;
};

}  // namespace temper::ui
