// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_overlay.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/runs/run_journal.h"
#include "engine/training/evaluation/metrics.h"
#include "ui/docks/runs/run_sign.h"
#include "ui/docks/runs/run_value_model.h"
#include "ui/document/studio_project.h"
#include "ui/plots/plot_cursor.h"
#include "ui/plots/plot_view.h"
#include "ui/run/curve_csv.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/copy_table.h"
#include "ui/widgets/filling_column.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Up to this many points are marked, so that each is visible.
constexpr size_t kFewPoints = 40;
constexpr int kMaxOverlaySmooth = 999;  ///< thousandths
/// Metrics with noise from step to step.
constexpr const char* kSmoothedMetrics[] = {"gradient_norm", "loss"};

bool isHigherBetter(const std::string& metric) {
    const auto& infos = metricInfos();
    const auto info = std::ranges::find(infos, metric, &MetricInfo::key);
    return info != infos.end() && info->higherIsBetter;
}

const Curve* curveNamed(const std::map<std::string, Curve>& curves, const std::string& metric) {
    const auto curve = curves.find(metric);
    return curve == curves.end() ? nullptr : &curve->second;
}

}  // namespace

RunOverlay::RunOverlay(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      plot_(new PlotView(tr("Compare"), this)),
      cursor_(new PlotCursor(this)),
      values_(new RunValueModel(this)),
      weight_(context.run.smoothing()) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(buildTools());
    note_ = makeLabel({}, "", this);
    note_->setObjectName(QStringLiteral("overlayNote"));
    note_->setWordWrap(true);
    note_->hide();
    layout->addWidget(note_);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(plot_);
    splitter->addWidget(buildTable());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    layout->addWidget(splitter, 1);
    plot_->setPlaceholder(tr("Select runs to see their curves together."));
    plot_->setCsvSource([this] { return csv(); });
    plot_->setCursor(cursor_);
    plot_->showCursorBox(false);  // the table has the values
    connect(plot_, &PlotView::viewChanged, this, &RunOverlay::draw);
    connect(cursor_, &PlotCursor::moved, this, [this] {
        if (cursor_->x()) step_ = cursor_->x();
        showValues();
    });
    connect(&context_.run, &RunModel::updated, this, [this] {
        if (context_.run.smoothing() != weight_) smoothAgain();
    });
}

QWidget* RunOverlay::buildTools() {
    auto* tools = new QWidget(this);
    auto* row = new QHBoxLayout(tools);
    row->setContentsMargins(0, 0, 0, 0);
    metric_ = new QComboBox(tools);
    metric_->setAccessibleName(tr("Metric to compare"));
    metric_->setObjectName(QStringLiteral("overlayMetric"));
    smoothing_ = new QSlider(Qt::Horizontal, tools);
    smoothing_->setObjectName(QStringLiteral("overlaySmoothing"));
    smoothing_->setRange(0, kMaxOverlaySmooth);
    smoothing_->setPageStep(100);
    smoothing_->setSingleStep(10);
    smoothing_->setMaximumWidth(em(this, 10));
    smoothing_->setAccessibleName(tr("Smoothing of the curves"));
    smoothing_->setToolTip(tr("The weight of past values, from 0 to 1, as on the page Train."));
    smoothingText_ = makeLabel({}, "muted", tools);
    auto* label = new QLabel(tr("Smoothing"), tools);
    label->setBuddy(smoothing_);
    row->addWidget(metric_, 1);
    row->addWidget(label);
    row->addWidget(smoothing_, 1);
    row->addWidget(smoothingText_);
    connect(metric_, &QComboBox::currentIndexChanged, this, &RunOverlay::draw);
    connect(smoothing_, &QSlider::valueChanged, this,
            [this](int value) { context_.run.setSmoothing(value / 1000.0); });
    return tools;
}

QWidget* RunOverlay::buildTable() {
    auto* pane = new QWidget(this);
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    place_ = makeLabel({}, "muted", pane);
    place_->setObjectName(QStringLiteral("overlayPlace"));
    row->addWidget(place_, 1);
    table_ = makeTable(values_, pane);
    table_->setObjectName(QStringLiteral("overlayValues"));
    table_->setAccessibleName(tr("Values of the runs at a step, best first"));
    fillWithColumn(table_, RunValueModel::Run);
    auto* copy = new QToolButton(pane);
    copy->setObjectName(QStringLiteral("copyOverlayValues"));
    copy->setDefaultAction(allowCopying(table_));
    copy->setToolButtonStyle(Qt::ToolButtonIconOnly);
    copy->setAccessibleName(copy->text());
    copy->setAutoRaise(true);
    row->addWidget(copy);
    layout->addLayout(row);
    layout->addWidget(table_, 1);
    return pane;
}

RunOverlay::Curves RunOverlay::curvesOf(const std::vector<RunEvent>& events) {
    Curves curves;
    for (const RunEvent& event : events) {
        if (const auto* step = std::get_if<StepEvent>(&event.fact)) {
            const auto x = static_cast<double>(step->step);
            curves["loss"].append(x, step->loss);
            curves["learning_rate"].append(x, step->learningRate);
            curves["gradient_norm"].append(x, step->gradientNorm);
        } else if (const auto* eval = std::get_if<EvalEvent>(&event.fact)) {
            const auto x = static_cast<double>(eval->step);
            curves["validation_loss"].append(x, eval->loss);
            for (const auto& [name, value] : eval->metrics)
                if (name != "loss") curves[name].append(x, value);
        }
    }
    return curves;
}

std::vector<RunOverlay::Curves> RunOverlay::smoothed(const std::vector<RunCurves>& runs,
                                                     double weight) {
    std::vector<Curves> all;
    for (const RunCurves& run : runs) {
        Curves& smooth = all.emplace_back();
        for (const char* metric : kSmoothedMetrics)
            if (const Curve* raw = curveNamed(run.curves, metric))
                smooth[metric].smooth(*raw, weight);
    }
    return all;
}

void RunOverlay::showRuns(const std::vector<int64_t>& ids) {
    context_.project.tasks()->cancel(task_);
    struct Source {
        QString name;
        int sign;
        std::filesystem::path log;
    };
    std::vector<Source> logs;
    std::set<int> signs;
    for (const int64_t id : ids) {
        const StoredRun* run = context_.history.find(id);
        if (run == nullptr || logs.size() == kMaxRuns) continue;
        // Runs of two projects may look the same: the second one gets another pattern.
        int sign = runSign(id);
        while (!signs.insert(sign).second) sign += kSeriesColors;
        logs.push_back(
            {text(run->name), sign, runLogPath(context_.history.folderOf(*run).toStdString())});
    }
    note_->setVisible(ids.size() > logs.size());
    note_->setText(tr("The first %1 of %2 chosen runs are shown.")
                       .arg(logs.size())
                       .arg(integerText(static_cast<int64_t>(ids.size()))));
    const double weight = context_.run.smoothing();
    task_ = context_.project.tasks()->run(
        tr("Reading runs"), tr("The log of a run could not be read"),
        [logs, weight](std::stop_token) {
            std::vector<RunCurves> runs;
            for (const Source& source : logs)
                runs.push_back({source.name, source.sign, curvesOf(readRunEvents(source.log))});
            std::vector<Curves> smooth = smoothed(runs, weight);
            return ReadRuns{std::make_shared<const std::vector<RunCurves>>(std::move(runs)),
                            std::move(smooth)};
        },
        [this, weight](ReadRuns read) { adopt(std::move(read), weight); },
        [this](const Problem& problem) { emit context_.history.failed(problem); });
}

void RunOverlay::adopt(ReadRuns read, double weight) {
    task_ = 0;
    runs_ = std::move(read.runs);
    smooth_ = std::move(read.smooth);
    weight_ = weight;
    fillMetrics();
    draw();
    if (context_.run.smoothing() != weight_) smoothAgain();
}

void RunOverlay::smoothAgain() {
    weight_ = context_.run.smoothing();
    if (runs_->empty()) return draw();
    context_.project.tasks()->cancel(smoothTask_);
    smoothTask_ = context_.project.tasks()->run(
        tr("Smoothing curves"), tr("The curves can't be smoothed"),
        [runs = runs_, weight = weight_](std::stop_token) {
            return ReadRuns{runs, smoothed(*runs, weight)};
        },
        [this](ReadRuns read) {
            smoothTask_ = 0;
            if (read.runs != runs_) return;  // others were chosen in the meantime
            smooth_ = std::move(read.smooth);
            draw();
        },
        [this](const Problem& problem) { emit context_.history.failed(problem); });
}

void RunOverlay::fillMetrics() {
    std::set<std::string> keys;
    for (const RunCurves& run : *runs_)
        for (const auto& [key, curve] : run.curves) keys.insert(key);
    const QString chosen = metric_->currentData().toString();
    const QSignalBlocker blocker(metric_);
    metric_->clear();
    for (const std::string& key : keys) metric_->addItem(metricLabel(key), text(key));
    const int before = metric_->findData(chosen);
    metric_->setCurrentIndex(before >= 0 ? before : metric_->findData(QStringLiteral("loss")));
}

std::string RunOverlay::metric() const { return metric_->currentData().toString().toStdString(); }

const Curve* RunOverlay::curveOf(size_t run) const {
    return curveNamed((*runs_)[run].curves, metric());
}

const Curve* RunOverlay::smoothedCurveOf(size_t run) const {
    return weight_ > 0 && run < smooth_.size() ? curveNamed(smooth_[run], metric()) : nullptr;
}

/// Runs keep their colours, whatever metric and other runs are chosen. Measured curves are below
/// the smoothed ones.
void RunOverlay::draw() {
    plot_->clearSeries();
    series_.clear();
    for (size_t i = 0; i < runs_->size(); ++i) {
        if (smoothedCurveOf(i) == nullptr) continue;
        const int band = plot_->addSeries({}, SeriesStyle::Envelope, (*runs_)[i].sign);
        plot_->setCurve(band, *curveOf(i));
    }
    for (size_t i = 0; i < runs_->size(); ++i) {
        const Curve* smooth = smoothedCurveOf(i);
        const Curve* curve = smooth != nullptr ? smooth : curveOf(i);
        const bool isSparse = curve != nullptr && curve->points().size() <= kFewPoints;
        series_.push_back(plot_->addSeries((*runs_)[i].name,
                                           isSparse ? SeriesStyle::Marked : SeriesStyle::Line,
                                           (*runs_)[i].sign, (*runs_)[i].sign));
        if (curve != nullptr) plot_->setCurve(series_.back(), *curve);
    }
    const QSignalBlocker blocker(smoothing_);
    smoothing_->setValue(static_cast<int>(std::lround(1000 * weight_)));
    smoothing_->setEnabled(std::ranges::find(kSmoothedMetrics, metric()) !=
                           std::end(kSmoothedMetrics));
    smoothingText_->setText(decimalText(weight_, 'f', 3));
    plot_->refresh();
    showValues();
}

/// For a run that ended before the step, shows its end.
void RunOverlay::showValues() {
    std::vector<RunValue> values;
    bool isSmoothed = false;
    const double step = step_.value_or(plot_->xRange().upper);
    for (size_t i = 0; i < runs_->size(); ++i) {
        const Curve* curve = curveOf(i);
        const Curve::Point* point = curve != nullptr ? curve->nearest(step) : nullptr;
        if (point == nullptr) continue;
        const Curve* smooth = smoothedCurveOf(i);
        isSmoothed = isSmoothed || smooth != nullptr;
        values.push_back({(*runs_)[i].name, plot_->sampleOf(series_[i]), point->x, point->y,
                          smooth != nullptr ? smooth->nearest(step)->y : point->y});
    }
    place_->setText(values.empty() ? QString()
                                   : tr("At step %1").arg(integerText(std::llround(step))));
    values_->setValues(std::move(values), isSmoothed, isHigherBetter(metric()));
    table_->setColumnHidden(RunValueModel::Smoothed, !isSmoothed);
}

/// The plot receives the palette change after its parents.
void RunOverlay::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        QMetaObject::invokeMethod(this, &RunOverlay::showValues, Qt::QueuedConnection);
}

std::string RunOverlay::csv() const {
    std::vector<std::pair<std::string, const Curve*>> columns;
    for (size_t i = 0; i < runs_->size(); ++i) {
        const std::string name = (*runs_)[i].name.toStdString();
        if (const Curve* curve = curveOf(i)) columns.emplace_back(name, curve);
        if (const Curve* smooth = smoothedCurveOf(i))
            columns.emplace_back(name + " smoothed", smooth);
    }
    return curvesToCsv("step", columns);
}

}  // namespace temper::ui
