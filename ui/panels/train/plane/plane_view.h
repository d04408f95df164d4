// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/panels/panel.h"

class QLabel;
class QTableView;

namespace temper::ui {

class PlaneFollower;
class PlanePlot;
class PlaneReportModel;
struct PlaneLook;
struct Problem;

/// The decisions of a model with two features, live, with the samples on top; beside it the same in
/// words and numbers.
class PlaneView : public QWidget {
    Q_OBJECT
public:
    explicit PlaneView(const PanelContext& context, QWidget* parent = nullptr);

    PlaneFollower* follower() const { return follower_; }
    PlanePlot* plot() const { return plot_; }
    /// The picture described in words.
    QString description() const;

signals:
    void failed(const temper::ui::Problem& problem);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildSide();
    void refresh();
    void showLook(const PlaneLook& look);
    void showFailure(const Problem& problem);
    QString placeText(double x, double y) const;

    PlaneFollower* follower_;
    PlanePlot* plot_;
    PlaneReportModel* report_;
    QTableView* table_ = nullptr;
    QLabel* words_ = nullptr;
    std::shared_ptr<const void> shownData_;
};

}  // namespace temper::ui
