// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/train_plots.h"

#include "ui/explain/explain.h"
#include "ui/plots/plot_cursor.h"
#include "ui/plots/plot_view.h"
#include "ui/run/curve_csv.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

MarkSymbol symbolOf(RunMark::Kind kind) {
    switch (kind) {
        case RunMark::Kind::LearningRate: return MarkSymbol::Diamond;
        case RunMark::Kind::Checkpoint: return MarkSymbol::Square;
        case RunMark::Kind::RolledBack: return MarkSymbol::Triangle;
        case RunMark::Kind::Paused: return MarkSymbol::Bars;
        case RunMark::Kind::Best: return MarkSymbol::Star;
    }
    return MarkSymbol::Triangle;
}

QSplitter* makeRow(QSplitter* parent) {
    auto* row = new QSplitter(Qt::Horizontal, parent);
    row->setChildrenCollapsible(false);
    row->setHandleWidth(em(parent, 0.6));
    return row;
}

}  // namespace

TrainPlots::TrainPlots(RunModel& run, QWidget* parent)
    : QSplitter(Qt::Vertical, parent), run_(run), cursor_(new PlotCursor(this)) {
    setChildrenCollapsible(false);
    setHandleWidth(em(this, 0.6));
    build();
    connect(&run_, &RunModel::updated, this, &TrainPlots::refresh);
    refresh();
}

PlotView* TrainPlots::makePlot(const QString& title, const QString& placeholder, QSplitter* row) {
    auto* plot = new PlotView(title, row);
    plot->setPlaceholder(placeholder);
    plot->setCursor(cursor_);
    connect(plot, &PlotView::viewChanged, this, &TrainPlots::refresh);
    connect(plot, &PlotView::saveFailed, this, [this](const QString& path, const QString& why) {
        emit failed({tr("%1 could not be saved").arg(path), why, {}});
    });
    return plot;
}

void TrainPlots::setContextActions(const std::function<void(QMenu& menu, double step)>& actions) {
    for (PlotView* plot : {loss_, norm_, rate_, metrics_}) plot->setContextActions(actions);
}

void TrainPlots::build() {
    QSplitter* above = makeRow(this);
    loss_ = makePlot(tr("Loss"), tr("The loss appears here with the first step."), above);
    addLossSeries();
    loss_->setCsvSource([this] {
        return curvesToCsv("step", {{"loss", &run_.loss()},
                                    {"smoothed_loss", &run_.smoothedLoss()},
                                    {"validation_loss", &run_.validationLoss()}});
    });
    metrics_ = makePlot(tr("Metrics"), {}, above);
    metrics_->setCsvSource([this] { return metricCsv(); });
    QSplitter* below = makeRow(this);
    norm_ = makePlot(tr("Gradient norm"), tr("How steep the loss is."), below);
    norm_->addSeries(tr("Each step"), SeriesStyle::Envelope, 3);
    norm_->addSeries(tr("Smoothed"), SeriesStyle::Line, 3);
    norm_->setCsvSource([this] {
        return curvesToCsv("step", {{"gradient_norm", &run_.gradientNorm()},
                                    {"smoothed_gradient_norm", &run_.smoothedGradientNorm()}});
    });
    rate_ = makePlot(tr("Learning rate"), tr("How far each step goes."), below);
    rate_->addSeries(tr("Learning rate"), SeriesStyle::Line, 2);
    rate_->setCsvSource([this] {
        return curvesToCsv("step", {{"learning_rate", &run_.learningRate()}});
    });
    explain(loss_, "loss");
    explain(metrics_, "accuracy");
    explain(norm_, "gradient-norm");
    explain(rate_, "learning-rate");
    for (QSplitter* splitter : {above, below, static_cast<QSplitter*>(this)}) {
        splitter->setStretchFactor(0, 4);
        splitter->setStretchFactor(1, 3);
        splitter->setSizes({300, 200});  // shares, not lengths
    }
}

void TrainPlots::addLossSeries() {
    loss_->clearSeries();
    loss_->addSeries(tr("Each step"), SeriesStyle::Envelope, 0);
    loss_->addSeries(tr("Smoothed"), SeriesStyle::Line, 0);
    loss_->addSeries(tr("Validation"), SeriesStyle::Marked, 1);
    if (!expected_.isEmpty()) loss_->addSeries(tr("Expected"), SeriesStyle::Ghost, 0);
}

void TrainPlots::setMetricsPlaceholder(const QString& text) { metrics_->setPlaceholder(text); }

void TrainPlots::setExpected(const Curve& curve) {
    expected_ = curve;
    addLossSeries();
    refresh();
}

std::vector<std::pair<QString, PlotView*>> TrainPlots::plots() const {
    return {{QStringLiteral("loss"), loss_},
            {QStringLiteral("metrics"), metrics_},
            {QStringLiteral("gradientNorm"), norm_},
            {QStringLiteral("learningRate"), rate_}};
}

QJsonObject TrainPlots::view() const {
    QJsonObject view;
    for (const auto& [name, plot] : plots())
        view[name] = QJsonObject{{"logarithmicSteps", plot->isLogarithmic(Qt::Horizontal)},
                                 {"logarithmicValues", plot->isLogarithmic(Qt::Vertical)}};
    return view;
}

void TrainPlots::setView(const QJsonObject& view) {
    for (const auto& [name, plot] : plots()) {
        plot->setLogarithmic(Qt::Horizontal, view[name]["logarithmicSteps"].toBool());
        plot->setLogarithmic(Qt::Vertical, view[name]["logarithmicValues"].toBool());
    }
}

void TrainPlots::refresh() {
    refreshMetricSeries();
    loss_->setCurve(0, run_.loss());
    loss_->setCurve(1, run_.smoothedLoss());
    loss_->setCurve(2, run_.validationLoss());
    if (!expected_.isEmpty()) loss_->setCurve(3, expected_);
    norm_->setCurve(0, run_.gradientNorm());
    norm_->setCurve(1, run_.smoothedGradientNorm());
    rate_->setCurve(0, run_.learningRate());
    for (size_t i = 0; i < metricKeys_.size(); ++i)
        metrics_->setCurve(static_cast<int>(i), run_.metrics().at(metricKeys_[i]));
    showMarks();
    for (PlotView* plot : {loss_, norm_, rate_, metrics_}) {
        plot->setExpectedEnd(static_cast<double>(run_.totalSteps()),
                             static_cast<double>(run_.step()));
        plot->refresh();
    }
}

/// The loss shows all events, the rate only its own.
void TrainPlots::showMarks() {
    std::vector<PlotMark> all, ofRate;
    for (const RunMark& mark : run_.marks()) {
        const PlotMark drawn{mark.step, mark.text, symbolOf(mark.kind)};
        all.push_back(drawn);
        if (mark.kind == RunMark::Kind::LearningRate) ofRate.push_back(drawn);
    }
    loss_->setMarks(std::move(all));
    rate_->setMarks(std::move(ofRate));
}

void TrainPlots::refreshMetricSeries() {
    std::vector<std::string> keys;
    for (const auto& [key, curve] : run_.metrics())
        if (key != "loss") keys.push_back(key);
    if (keys == metricKeys_) return;
    metricKeys_ = std::move(keys);
    metrics_->clearSeries();
    int index = 0;
    for (const std::string& key : metricKeys_) {
        metrics_->addSeries(metricLabel(key), SeriesStyle::Marked, index + 1, index);
        ++index;
    }
}

std::string TrainPlots::metricCsv() const {
    std::vector<std::pair<std::string, const Curve*>> columns;
    for (const auto& [key, curve] : run_.metrics()) columns.emplace_back(key, &curve);
    return curvesToCsv("step", columns);
}

}  // namespace temper::ui
