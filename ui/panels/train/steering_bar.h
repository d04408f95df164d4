// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/panels/panel.h"

class QLabel;
class QSlider;

namespace temper::ui {

class NumberEdit;

/// Changes the learning rate and the speed during a run, and the smoothing of the curves. Without a
/// run, the rate is that of the project.
class SteeringBar : public QWidget {
    Q_OBJECT
public:
    explicit SteeringBar(const PanelContext& context, QWidget* parent = nullptr);

private:
    QWidget* buildRate();
    QWidget* buildSmoothing();
    QWidget* buildPace();
    void setPace(int stop);
    void refresh();
    double currentRate() const;
    void showRate(double rate);
    void setRate(double rate);

    PanelContext context_;
    NumberEdit* rate_ = nullptr;
    QSlider* rateSlider_ = nullptr;
    QSlider* smoothing_ = nullptr;
    QLabel* smoothingText_ = nullptr;
    QSlider* pace_ = nullptr;
    QLabel* paceText_ = nullptr;
    QTimer settle_;  ///< a dragged slider sets the rate once it rests
};

}  // namespace temper::ui
