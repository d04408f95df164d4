// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/train_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QProgressBar>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/panels/train/checkpoint_pane.h"
#include "ui/plots/plot_view.h"
#include "ui/project/studio_project.h"
#include "ui/run/curve_csv.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/training_actions.h"
#include "ui/theme/theme.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/confusion_view.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

QString number(int64_t value) { return QLocale().toString(static_cast<qlonglong>(value)); }

bool hasNode(const Graph& graph, const std::string& name) {
    const auto nodes = graph.nodes();
    return std::any_of(nodes.begin(), nodes.end(),
                       [&name](const Node* node) { return node->name() == name; });
}

QString lossText(double value) { return QString::number(value, 'g', 4); }

}  // namespace

TrainPanel::TrainPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      banner_(new Banner(this)),
      checkpoints_(new CheckpointPane(context, this)) {
    QVBoxLayout* layout = makePageLayout(this);
    QHBoxLayout* header = makePageHeader(tr("Train"), QString(), this);
    subtitle_ = qobject_cast<QLabel*>(header->itemAt(0)->layout()->itemAt(1)->widget());
    header->addWidget(buildButtons());
    layout->addLayout(header);
    layout->addWidget(banner_);
    layout->addWidget(buildTiles());
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress of training"));
    layout->addWidget(progress_);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(em(this, 0.7));
    splitter->addWidget(buildPlots());
    splitter->addWidget(buildSide());
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 2);
    layout->addWidget(splitter, 1);
    connect(&context_.run, &RunModel::updated, this, &TrainPanel::showRun);
    connect(&context_.run, &RunModel::stateChanged, this, &TrainPanel::showState);
    connect(&context_.training, &TrainingActions::changed, this, &TrainPanel::showState);
    connect(&context_.project, &StudioProject::modelChanged, this, &TrainPanel::showModel);
    connect(checkpoints_, &CheckpointPane::failed, this, &TrainPanel::showError);
    connect(checkpoints_, &CheckpointPane::loaded, this, [this](qlonglong step) {
        banner_->show(Banner::Kind::Good,
                      {tr("Checkpoint loaded"),
                       tr("Training continues after step %1.").arg(number(step)),
                       {}});
    });
    connect(&context_.training, &TrainingActions::failed, this, &TrainPanel::showError);
    connect(&context_.training, &TrainingActions::rolledBack, this, [this](qlonglong step) {
        banner_->show(Banner::Kind::Good, {tr("Back at step %1").arg(number(step)),
                                           tr("The steps behind it are forgotten."),
                                           tr("Continue, or change something first.")});
    });
    showState();
    showRun();
}

QWidget* TrainPanel::buildButtons() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    TrainingActions& actions = context_.training;
    auto* start = new ActionButton(actions.start(), true, bar);
    start->setObjectName(QStringLiteral("startButton"));
    row->addWidget(start);
    const std::pair<QAction*, const char*> others[] = {
        {actions.pause(), "pauseButton"},
        {actions.step(), "stepButton"},
        {actions.stop(), "stopButton"},
        {actions.startOver(), "startOverButton"},
    };
    for (const auto& [action, name] : others) {
        auto* button = new ActionButton(action, false, bar);
        button->setObjectName(QLatin1String(name));
        row->addWidget(button);
    }
    return bar;
}

QWidget* TrainPanel::buildTiles() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(em(this, 0.6));
    const std::pair<MetricTile**, QString> tiles[] = {
        {&lossTile_, tr("Training loss")}, {&validationTile_, tr("Validation loss")},
        {&metricTile_, tr("Metric")},      {&stepTile_, tr("Step")},
        {&speedTile_, tr("Speed")},        {&timeTile_, tr("Time left")},
    };
    for (const auto& [tile, caption] : tiles) {
        *tile = new MetricTile(caption, bar);
        row->addWidget(*tile, 1);
    }
    return bar;
}

QWidget* TrainPanel::buildPlots() {
    auto* plots = new QSplitter(Qt::Vertical, this);
    plots->setChildrenCollapsible(false);
    plots->setHandleWidth(em(this, 0.6));
    loss_ = new PlotView(tr("Loss"), plots);
    loss_->addSeries(tr("Each step"), SeriesStyle::Envelope, 0);
    loss_->addSeries(tr("Smoothed"), SeriesStyle::Line, 0);
    loss_->addSeries(tr("Validation"), SeriesStyle::Marked, 1);
    loss_->setPlaceholder(tr("The loss appears here with the first step."));
    loss_->setCsvSource([this] { return lossCsv(); });
    auto* below = new QSplitter(Qt::Horizontal, plots);
    below->setChildrenCollapsible(false);
    below->setHandleWidth(em(this, 0.6));
    rate_ = new PlotView(tr("Learning rate"), below);
    rate_->addSeries(tr("Learning rate"), SeriesStyle::Line, 2);
    rate_->setPlaceholder(tr("How far each step goes."));
    rate_->setCsvSource([this] { return rateCsv(); });
    metrics_ = new PlotView(tr("Validation metrics"), below);
    metrics_->setPlaceholder(tr("Measured after each epoch."));
    metrics_->setCsvSource([this] { return metricCsv(); });
    for (PlotView* plot : {loss_, rate_, metrics_})
        connect(plot, &PlotView::saveFailed, this, [this](const QString& path, const QString& why) {
            showError({tr("%1 could not be saved").arg(path), why, {}});
        });
    plots->setStretchFactor(0, 3);
    plots->setStretchFactor(1, 2);
    return plots;
}

QWidget* TrainPanel::buildSide() {
    side_ = makeTabs(this);
    confusion_ = new ConfusionView(side_);
    auto* confusionPage = new QWidget(side_);
    auto* layout = new QVBoxLayout(confusionPage);
    layout->setContentsMargins(0, em(this, 0.6), 0, 0);
    auto* caption = makeLabel(tr("Rows are the true classes, columns what the model says."),
                              "muted", confusionPage);
    caption->setWordWrap(true);
    layout->addWidget(caption);
    layout->addWidget(confusion_, 1);
    tryThis_ = new QListWidget(side_);
    tryThis_->setWordWrap(true);
    tryThis_->setSpacing(em(this, 0.2));
    tryThis_->setSelectionMode(QAbstractItemView::NoSelection);
    tryThis_->setAccessibleName(tr("Things to try"));
    side_->addTab(checkpoints_, tr("Checkpoints"));
    side_->addTab(confusionPage, tr("Confusion"));
    side_->addTab(tryThis_, tr("Try this"));
    side_->setTabVisible(2, false);
    return side_;
}

void TrainPanel::showModel() {
    tryThis_->clear();
    const auto& lesson = context_.project.lesson();
    if (lesson)
        for (const std::string& step : lesson->tryThis) tryThis_->addItem(text(step));
    side_->setTabVisible(2, lesson.has_value());
    banner_->hide();
    showState();
}

QString TrainPanel::stateText() const {
    const RunModel& run = context_.run;
    switch (run.state()) {
        case RunState::Idle: {
            const QString obstacle = startObstacle(context_.project).text;
            return obstacle.isEmpty() ? tr("Everything is ready.") : obstacle;
        }
        case RunState::Preparing: return tr("Preparing the first step…");
        case RunState::Running:
            return tr("Training %1 of %2 values on %3 samples.")
                .arg(number(run.started().trainableParameters), number(run.started().parameters),
                     number(run.started().trainSamples));
        case RunState::Paused: return tr("Paused after step %1.").arg(number(run.step()));
        case RunState::Stopping: return tr("Stopping after this step…");
        case RunState::Finished:
            return tr("Finished %1 steps in %2.")
                .arg(number(run.step()), durationText(run.end() ? run.end()->seconds : 0));
        case RunState::Stopped: return tr("Stopped after step %1.").arg(number(run.step()));
        case RunState::Failed: return tr("Training failed.");
    }
    return {};
}

void TrainPanel::showState() {
    const RunModel& run = context_.run;
    subtitle_->setText(stateText());
    if (run.state() == RunState::Preparing) banner_->hide();
    if (run.state() == RunState::Failed) showFailure();
    showProgress();
}

void TrainPanel::showRun() {
    showTiles();
    showProgress();
    showPlots();
    if (!context_.run.warnings().empty() && banner_->isHidden() && context_.run.isActive()) {
        const WarningEvent& warning = context_.run.warnings().back();
        banner_->show(Banner::Kind::Attention,
                      {tr("Step %1").arg(warning.step), text(warning.message), text(warning.hint)});
    }
}

void TrainPanel::showTiles() {
    const RunModel& run = context_.run;
    const QString none = QStringLiteral("–");
    const auto& step = run.lastStep();
    lossTile_->setValue(step ? lossText(run.currentSmoothedLoss()) : none,
                        step ? tr("last %1").arg(lossText(step->loss)) : QString());
    const auto& eval = run.lastEval();
    validationTile_->setValue(eval ? lossText(eval->loss) : none,
                              run.bestValidationLoss()
                                  ? tr("best %1").arg(lossText(*run.bestValidationLoss()))
                                  : QString());
    metricTile_->setValue(none);
    if (eval && !eval->metrics.empty()) {
        const auto accuracy = eval->metrics.find("accuracy");
        const auto& metric = accuracy != eval->metrics.end() ? *accuracy : *eval->metrics.begin();
        metricTile_->setCaption(metricLabel(metric.first));
        metricTile_->setValue(metricText(metric.first, metric.second),
                              tr("on %1 samples").arg(number(eval->samples)));
    }
    stepTile_->setValue(step ? number(run.step()) : none,
                        run.totalSteps() > 0 ? tr("of %1 · epoch %2")
                                                   .arg(number(run.totalSteps()))
                                                   .arg(step ? step->epoch : 0, 0, 'f', 1)
                                             : QString());
    speedTile_->setValue(step ? number(static_cast<int64_t>(run.samplesPerSecond())) : none,
                         step ? tr("samples per second") : QString());
    if (const auto remaining = run.remaining()) {
        timeTile_->setValue(durationText(remaining->minimumSeconds),
                            tr("up to %1").arg(durationText(remaining->maximumSeconds)));
    } else {
        timeTile_->setValue(none);
    }
}

void TrainPanel::showProgress() {
    const RunModel& run = context_.run;
    const bool unknown = run.state() == RunState::Preparing;
    progress_->setRange(0, unknown ? 0 : static_cast<int>(std::max<int64_t>(1, run.totalSteps())));
    if (!unknown) progress_->setValue(static_cast<int>(std::min(run.step(), run.totalSteps())));
}

void TrainPanel::showPlots() {
    const RunModel& run = context_.run;
    refreshMetricSeries();
    loss_->setCurve(0, run.loss());
    loss_->setCurve(1, run.smoothedLoss());
    loss_->setCurve(2, run.validationLoss());
    rate_->setCurve(0, run.learningRate());
    for (size_t i = 0; i < metricKeys_.size(); ++i)
        metrics_->setCurve(static_cast<int>(i), run.metrics().at(metricKeys_[i]));
    for (PlotView* plot : {loss_, rate_, metrics_}) {
        plot->setExpectedEnd(static_cast<double>(run.totalSteps()));
        plot->refresh();
    }
    if (const auto& eval = run.lastEval()) {
        confusion_->setMatrix(eval->confusion);
        side_->setTabVisible(1, eval->confusion != nullptr);
    }
}

void TrainPanel::refreshMetricSeries() {
    std::vector<std::string> keys;
    for (const auto& [key, curve] : context_.run.metrics())
        if (key != "loss") keys.push_back(key);
    if (keys == metricKeys_) return;
    metricKeys_ = std::move(keys);
    metrics_->clearSeries();
    int color = 1;
    for (const std::string& key : metricKeys_)
        metrics_->addSeries(metricLabel(key), SeriesStyle::Marked, color++ % 7);
}

std::string TrainPanel::lossCsv() const {
    const RunModel& run = context_.run;
    return curvesToCsv("step", {{"loss", &run.loss()},
                                {"smoothed_loss", &run.smoothedLoss()},
                                {"validation_loss", &run.validationLoss()}});
}

std::string TrainPanel::rateCsv() const {
    return curvesToCsv("step", {{"learning_rate", &context_.run.learningRate()},
                                {"gradient_norm", &context_.run.gradientNorm()}});
}

std::string TrainPanel::metricCsv() const {
    std::vector<std::pair<std::string, const Curve*>> columns;
    for (const auto& [key, curve] : context_.run.metrics()) columns.emplace_back(key, &curve);
    return curvesToCsv("step", columns);
}

/// Cause, node, last good step, and what to do.
void TrainPanel::showFailure() {
    Problem problem = context_.run.problem();
    const auto& end = context_.run.end();
    std::vector<BannerAction> actions;
    if (end && end->goodStep) {
        problem.hint = tr("The last good state is that of step %1. %2")
                           .arg(number(*end->goodStep), problem.hint);
        TrainingActions& training = context_.training;
        actions = {{"lowerRateButton", training.lowerRate()->text(),
                    [&training] { training.lowerRate()->trigger(); }},
                   {"rollBackButton", training.rollBack()->text(),
                    [&training] { training.rollBack()->trigger(); }}};
    }
    if (end && !end->node.empty() && context_.project.model() &&
        hasNode(*context_.project.model()->graph, end->node))
        actions.push_back({"openNodeButton", tr("Open node"), [this, node = text(end->node)] {
                               emit context_.navigator.nodeRequested(node);
                           }});
    banner_->show(Banner::Kind::Bad, problem, actions);
}

void TrainPanel::showError(const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); }

}  // namespace temper::ui
