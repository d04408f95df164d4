// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

namespace temper::ui {

class MetricTile;
class RunModel;

/// The figures of a run in one row or two: losses, metric, step, speed, time left, memory.
class RunFigures : public QWidget {
    Q_OBJECT
public:
    explicit RunFigures(RunModel& run, QWidget* parent = nullptr);

private:
    void build();
    void refresh();
    void showLosses();
    void showMetric();
    void showProgress();
    void showMemory();

    RunModel& run_;
    MetricTile* loss_ = nullptr;
    MetricTile* validation_ = nullptr;
    MetricTile* metric_ = nullptr;
    MetricTile* step_ = nullptr;
    MetricTile* speed_ = nullptr;
    MetricTile* time_ = nullptr;
    MetricTile* memory_ = nullptr;
    QTimer memoryTimer_;
    size_t planned_ = 0;  ///< bytes of the run, as shown by the tile
};

}  // namespace temper::ui
