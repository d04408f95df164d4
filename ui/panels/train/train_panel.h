// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"

class QBoxLayout;
class QLabel;
class QMenu;
class QProgressBar;
class QTabWidget;

namespace temper::ui {

class Banner;
class CheckpointPane;
class ConfusionView;
class NetView;
class OwnPlot;
class PlaneView;
class PlotPresenter;
class PlotView;
class RunFailure;
class RunFigures;
class SteeringBar;
class TrainPlots;
struct Problem;

/// Shows and controls training: figures, curves, progress, checkpoints.
class TrainPanel : public QWidget {
    Q_OBJECT
public:
    TrainPanel(const PanelContext& context, QWidget* parent = nullptr);

    static StageStatus status(const StageContext& context);

    CheckpointPane* checkpoints() const { return checkpoints_; }
    PlotView* lossPlot() const;
    TrainPlots* plots() const { return plots_; }
    OwnPlot* ownPlot() const { return own_; }
    PlaneView* plane() const { return plane_; }
    NetView* net() const { return net_; }
    /// Brings the plane to the front, if the model has one.
    void showPlane();
    /// The plots in presenter mode.
    PlotPresenter* presenter() const { return presenter_; }

protected:
    bool event(QEvent* event) override;

private:
    QBoxLayout* buildTitle();
    void arrangeTitle();
    void offerToGoBack(QMenu& menu, double step);
    QWidget* buildButtons();
    QWidget* buildStop(QWidget* parent);
    QWidget* buildCenter();
    /// A tab shown only for models that it can draw.
    void offer(QWidget* view, const QString& title, bool isOffered);
    void offerPlane();
    void offerNet();
    QWidget* buildSide();
    void listPlots();
    void present(bool on);
    void showModel();
    void keepView();
    void showKeptView();
    void showState();
    void showRun();
    void showProgress();
    QString stateText() const;
    QString runningText() const;
    QString finishedText() const;
    void showError(const Problem& problem);
    void showFailure();

    PanelContext context_;
    Banner* banner_;
    QBoxLayout* title_ = nullptr;
    QLabel* subtitle_ = nullptr;
    QProgressBar* progress_ = nullptr;
    TrainPlots* plots_;
    OwnPlot* own_ = nullptr;
    QTabWidget* center_ = nullptr;
    PlotPresenter* presenter_ = nullptr;
    RunFigures* figures_ = nullptr;
    SteeringBar* steering_ = nullptr;
    PlaneView* plane_ = nullptr;
    NetView* net_ = nullptr;
    QTabWidget* side_ = nullptr;
    ConfusionView* confusion_ = nullptr;
    CheckpointPane* checkpoints_;
    RunFailure* failure_;
};

}  // namespace temper::ui
