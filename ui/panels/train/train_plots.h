// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QSplitter>
#include <functional>
#include <string>
#include <vector>

#include "ui/run/curve.h"

class QMenu;

namespace temper::ui {

class PlotCursor;
class PlotView;
class RunModel;
struct Problem;

/// The curves of a run: loss, gradient norm, learning rate and metrics, with one cross-hair.
class TrainPlots : public QSplitter {
    Q_OBJECT
public:
    explicit TrainPlots(RunModel& run, QWidget* parent = nullptr);

    PlotView* loss() const { return loss_; }
    PlotView* gradientNorm() const { return norm_; }
    PlotView* learningRate() const { return rate_; }
    PlotView* metrics() const { return metrics_; }
    /// Sets the actions for a step in the context menus of all plots.
    void setContextActions(const std::function<void(QMenu& menu, double step)>& actions);
    PlotCursor* cursor() const { return cursor_; }
    /// The state to save: which axes are logarithmic.
    QJsonObject view() const;
    void setView(const QJsonObject& view);
    /// Sets the text shown until something is measured.
    void setMetricsPlaceholder(const QString& text);
    /// Sets a loss for comparison, drawn as a thin line; empty: none.
    void setExpected(const Curve& curve);

signals:
    void failed(const temper::ui::Problem& problem);

private:
    PlotView* makePlot(const QString& title, const QString& placeholder, QSplitter* row);
    void build();
    void addLossSeries();
    void refresh();
    void showMarks();
    void refreshMetricSeries();
    std::vector<std::pair<QString, PlotView*>> plots() const;
    std::string metricCsv() const;

    RunModel& run_;
    Curve expected_;
    PlotCursor* cursor_;
    PlotView* loss_ = nullptr;
    PlotView* norm_ = nullptr;
    PlotView* rate_ = nullptr;
    PlotView* metrics_ = nullptr;
    std::vector<std::string> metricKeys_;
};

}  // namespace temper::ui
