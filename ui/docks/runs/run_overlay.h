// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/runs/run_event.h"
#include "ui/panels/panel.h"
#include "ui/run/curve.h"

class QComboBox;
class QLabel;
class QSlider;
class QTableView;

namespace temper::ui {

class PlotCursor;
class PlotView;
class RunValueModel;

/// One metric of some runs in one plot, smoothed like the plots of the current run, and a table of
/// their values at the step last pointed at.
class RunOverlay : public QWidget {
    Q_OBJECT
public:
    /// As many as can be distinguished and read in a table.
    static constexpr size_t kMaxRuns = 12;

    explicit RunOverlay(const PanelContext& context, QWidget* parent = nullptr);

    /// Shows the first kMaxRuns of them and says so if there are more; a task reads their logs.
    void showRuns(const std::vector<int64_t>& ids);
    PlotView* plot() const { return plot_; }
    PlotCursor* cursor() const { return cursor_; }
    RunValueModel* values() const { return values_; }
    /// Number of runs drawn.
    size_t runCount() const { return runs_->size(); }

protected:
    void changeEvent(QEvent* event) override;

private:
    using Curves = std::map<std::string, Curve>;
    struct RunCurves {
        QString name;
        int sign = 0;  ///< colour and pattern; see runSign()
        Curves curves;
    };
    using Runs = std::shared_ptr<const std::vector<RunCurves>>;

    struct ReadRuns {
        Runs runs;
        std::vector<Curves> smooth;
    };

    static Curves curvesOf(const std::vector<RunEvent>& events);
    static std::vector<Curves> smoothed(const std::vector<RunCurves>& runs, double weight);
    void adopt(ReadRuns read, double weight);
    QWidget* buildTools();
    QWidget* buildTable();
    void fillMetrics();
    void smoothAgain();
    void draw();
    void showValues();
    std::string metric() const;
    const Curve* curveOf(size_t run) const;
    /// Null if the metric is not smoothed.
    const Curve* smoothedCurveOf(size_t run) const;
    std::string csv() const;

    PanelContext context_;
    QComboBox* metric_ = nullptr;
    QSlider* smoothing_ = nullptr;
    QLabel* smoothingText_ = nullptr;
    QLabel* note_ = nullptr;
    QLabel* place_ = nullptr;
    PlotView* plot_;
    PlotCursor* cursor_;
    RunValueModel* values_;
    QTableView* table_ = nullptr;
    Runs runs_ = std::make_shared<const std::vector<RunCurves>>();
    std::vector<Curves> smooth_;  ///< smoothed, of each run
    std::vector<int> series_;     ///< of each run
    std::optional<double> step_;  ///< last pointed at; none: the end
    double weight_ = 0;           ///< of smooth_
    int task_ = 0;
    int smoothTask_ = 0;
};

}  // namespace temper::ui
