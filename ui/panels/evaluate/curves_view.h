// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "ui/panels/evaluate/evaluation_result.h"

class QComboBox;

namespace temper::ui {

class XyPlot;

/// For classes: ROC curves and calibration. For numbers: predicted against true values, and
/// residuals.
class CurvesView : public QWidget {
    Q_OBJECT
public:
    explicit CurvesView(QWidget* parent = nullptr);

    void setResult(std::shared_ptr<const EvaluationResult> result);
    XyPlot* firstPlot() const { return first_; }
    XyPlot* secondPlot() const { return second_; }

private:
    void draw();
    void drawRoc();
    void drawCalibration();
    void drawResiduals();

    QComboBox* choice_;
    XyPlot* roc_;
    XyPlot* calibration_;
    XyPlot* fit_;
    XyPlot* residuals_;
    XyPlot* first_;
    XyPlot* second_;
    std::shared_ptr<const EvaluationResult> result_;
};

}  // namespace temper::ui
