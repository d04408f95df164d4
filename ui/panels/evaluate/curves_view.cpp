// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/curves_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/explain/explain.h"
#include "ui/messages/problem.h"
#include "ui/plots/xy_plot.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

/// More curves than this are unreadable: one class at a time then.
constexpr size_t kMaxCurves = 10;
/// More points than this do not improve the drawing.
constexpr int64_t kMaxPoints = 5000;

std::vector<QPointF> pointsOf(const RocCurve& curve) {
    std::vector<QPointF> points;
    for (size_t i = 0; i < curve.thresholds.size(); ++i)
        points.emplace_back(curve.falsePositives[i], curve.truePositives[i]);
    return points;
}

}  // namespace

CurvesView::CurvesView(QWidget* parent)
    : QWidget(parent),
      choice_(new QComboBox(this)),
      roc_(new XyPlot(tr("ROC: true against false positives"), tr("False positives"),
                      tr("True positives"), this)),
      calibration_(new XyPlot(tr("Calibration: do the probabilities hold?"),
                              tr("Predicted probability"), tr("Share that is correct"), this)),
      fit_(new XyPlot(tr("Predicted against actual"), tr("Actual"), tr("Predicted"), this)),
      residuals_(new XyPlot(tr("Residuals"), tr("Predicted"), tr("Predicted − actual"), this)),
      first_(roc_),
      second_(calibration_) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, em(this, 0.6), 0, 0);
    choice_->setAccessibleName(tr("Class or output to draw"));
    explain(roc_, "roc");
    explain(calibration_, "calibration");
    for (XyPlot* plot : {fit_, residuals_}) explain(plot, "residual");
    choice_->setObjectName(QStringLiteral("curveChoice"));
    connect(choice_, &QComboBox::activated, this, &CurvesView::draw);
    layout->addWidget(choice_, 0, Qt::AlignLeft);
    auto* row = new QHBoxLayout;
    row->setSpacing(em(this, 0.7));
    for (XyPlot* plot : {roc_, calibration_, fit_, residuals_}) row->addWidget(plot, 1);
    layout->addLayout(row, 1);
    for (XyPlot* plot : {roc_, calibration_}) plot->setRange({-0.02, -0.02}, {1.02, 1.02});
    setResult(nullptr);
}

void CurvesView::setResult(std::shared_ptr<const EvaluationResult> result) {
    result_ = std::move(result);
    choice_->clear();
    const bool isNumbers = result_ && !result_->isOfClasses();
    if (result_ && !isNumbers) {
        choice_->addItem(tr("All classes"));
        for (const std::string& name : result_->set.classes) choice_->addItem(text(name));
    } else if (isNumbers) {
        for (int64_t k = 0; k < result_->set.width(); ++k)
            choice_->addItem(tr("Output %1").arg(k + 1));
    }
    choice_->setVisible(choice_->count() > 1);
    for (XyPlot* plot : {roc_, calibration_}) plot->setVisible(!isNumbers);
    for (XyPlot* plot : {fit_, residuals_}) plot->setVisible(isNumbers);
    first_ = isNumbers ? fit_ : roc_;
    second_ = isNumbers ? residuals_ : calibration_;
    draw();
}

void CurvesView::draw() {
    for (XyPlot* plot : {roc_, calibration_, fit_, residuals_}) {
        plot->clear();
        plot->setPlaceholder(tr("Evaluate first."));
    }
    if (result_ && result_->set.entries() > 0) {
        if (result_->isOfClasses()) {
            drawRoc();
            drawCalibration();
        } else {
            drawResiduals();
        }
    }
    for (XyPlot* plot : {roc_, calibration_, fit_, residuals_}) plot->refresh();
}

void CurvesView::drawRoc() {
    const int chosen = choice_->currentIndex() - 1;
    size_t drawn = 0;
    for (size_t c = 0; c < result_->curves.size(); ++c) {
        const RocCurve& curve = result_->curves[c];
        const bool isWanted = chosen < 0 ? drawn < kMaxCurves : static_cast<int>(c) == chosen;
        if (!isWanted || !std::isfinite(curve.area)) continue;
        ++drawn;
        roc_->addSeries(tr("%1: AUC %2")
                            .arg(text(result_->set.classes[c]))
                            .arg(decimalText(curve.area, 'f', 3)),
                        XyStyle::Line, static_cast<int>(c), pointsOf(curve));
    }
    roc_->addSeries({}, XyStyle::Reference, 0, {{0, 0}, {1, 1}});
}

void CurvesView::drawCalibration() {
    std::vector<QPointF> points;
    for (const Calibration::Bin& bin : result_->calibration.bins)
        if (bin.count > 0) points.emplace_back(bin.confidence, bin.accuracy);
    calibration_->addSeries(
        tr("Expected error %1").arg(decimalText(result_->calibration.expectedError, 'f', 3)),
        XyStyle::Marked, 0, points);
    calibration_->addSeries({}, XyStyle::Reference, 0, {{0, 0}, {1, 1}});
}

void CurvesView::drawResiduals() {
    const PredictionSet& set = result_->set;
    const int64_t output = std::max(0, choice_->currentIndex());
    const std::vector<double> errors = residualsOf(set, output);
    const int64_t step = std::max<int64_t>(1, set.entries() / kMaxPoints);
    std::vector<QPointF> fit, residuals;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < set.entries(); i += step) {
        const double predicted = set.output(i, output);
        const double error = errors[static_cast<size_t>(i)];
        fit.emplace_back(predicted - error, predicted);
        residuals.emplace_back(predicted, error);
        low = std::min(low, predicted - error);
        high = std::max(high, predicted - error);
    }
    const NumberFigures figures = numbersOf(set, output);
    fit_->addSeries(tr("R² %1").arg(decimalText(figures.r2, 'f', 3)), XyStyle::Points, 0, fit);
    fit_->addSeries({}, XyStyle::Reference, 0, {{low, low}, {high, high}});
    residuals_->addSeries(
        tr("Mean absolute error %1").arg(decimalText(figures.meanAbsolute, 'g', 3)),
        XyStyle::Points, 1, residuals);
}

}  // namespace temper::ui
