// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QTabWidget;

namespace temper::ui {

class Banner;
class CheckpointPane;
class ConfusionView;
class MetricTile;
class PlotView;
struct Problem;

/// Training to watch and to steer: figures, curves, progress, checkpoints.
class TrainPanel : public QWidget {
    Q_OBJECT
public:
    TrainPanel(const PanelContext& context, QWidget* parent = nullptr);

    CheckpointPane* checkpoints() const { return checkpoints_; }
    PlotView* lossPlot() const { return loss_; }

private:
    QWidget* buildButtons();
    QWidget* buildTiles();
    QWidget* buildPlots();
    QWidget* buildSide();
    void showModel();
    void showState();
    void showRun();
    void showTiles();
    void showProgress();
    void showPlots();
    void refreshMetricSeries();
    QString stateText() const;
    std::string lossCsv() const;
    std::string rateCsv() const;
    std::string metricCsv() const;
    void showError(const Problem& problem);
    void showFailure();

    PanelContext context_;
    Banner* banner_;
    QLabel* subtitle_ = nullptr;
    MetricTile* lossTile_ = nullptr;
    MetricTile* validationTile_ = nullptr;
    MetricTile* metricTile_ = nullptr;
    MetricTile* stepTile_ = nullptr;
    MetricTile* speedTile_ = nullptr;
    MetricTile* timeTile_ = nullptr;
    QProgressBar* progress_ = nullptr;
    PlotView* loss_ = nullptr;
    PlotView* rate_ = nullptr;
    PlotView* metrics_ = nullptr;
    std::vector<std::string> metricKeys_;
    QTabWidget* side_ = nullptr;
    ConfusionView* confusion_ = nullptr;
    QListWidget* tryThis_ = nullptr;
    CheckpointPane* checkpoints_;
};

}  // namespace temper::ui
