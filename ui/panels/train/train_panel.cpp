// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/train_panel.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QProgressBar>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/checks/start_obstacle.h"
#include "ui/commands/activity.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/messages/hint_text.h"
#include "ui/panels/train/checkpoint_pane.h"
#include "ui/panels/train/expected_curve.h"
#include "ui/panels/train/net/net_canvas.h"
#include "ui/panels/train/net/net_follower.h"
#include "ui/panels/train/net/net_view.h"
#include "ui/panels/train/own_plot.h"
#include "ui/panels/train/plane/plane_follower.h"
#include "ui/panels/train/plane/plane_view.h"
#include "ui/panels/train/plot_presenter.h"
#include "ui/panels/train/run_failure.h"
#include "ui/panels/train/run_figures.h"
#include "ui/panels/train/steering_bar.h"
#include "ui/panels/train/train_plots.h"
#include "ui/plots/plot_view.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/training_actions.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/confusion_view.h"
#include "ui/widgets/flow_row.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

const QString kPlotsKey = QStringLiteral("plots");
const QString kOwnPlotKey = QStringLiteral("ownPlot");
const QString kSmoothingKey = QStringLiteral("smoothing");

/// When validation metrics appear, or why they don't and what to do.
QString whatIsMeasured(const StudioProject& project) {
    const auto& data = project.data();
    if (data && (!data->evaluation() || data->evaluation()->size() == 0))
        return TrainPanel::tr(
            "Nothing is measured: all samples are used for training. On the page Data, set a "
            "training share such as 80 %, or choose validation samples.");
    const auto every = static_cast<int>(project.spec().run.evaluateEvery);
    return every > 0 ? TrainPanel::tr("Measured every %Ln steps.", nullptr, every)
                     : TrainPanel::tr("Measured after each epoch.");
}

}  // namespace

TrainPanel::TrainPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      banner_(new Banner(this)),
      plots_(new TrainPlots(context.run, this)),
      checkpoints_(new CheckpointPane(context, this)),
      failure_(new RunFailure(context, *checkpoints_, this)) {
    QVBoxLayout* layout = makePageLayout(this);
    // Its text may be long: it is below the buttons, not beside them.
    auto* header = new QVBoxLayout;
    header->setSpacing(em(this, 0.1));
    header->addLayout(buildTitle());
    subtitle_ = makeLabel({}, "muted", this);
    subtitle_->setWordWrap(true);
    header->addWidget(subtitle_);
    layout->addLayout(header);
    layout->addWidget(banner_);
    figures_ = new RunFigures(context.run, this);
    layout->addWidget(figures_);
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress of training"));
    layout->addWidget(progress_);
    steering_ = new SteeringBar(context, this);
    layout->addWidget(steering_);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(em(this, 0.7));
    splitter->addWidget(buildCenter());
    presenter_ = new PlotPresenter(center_, this);
    layout->addWidget(presenter_);
    listPlots();
    connect(&Activity::of(context_.navigator), &Activity::presented, this, &TrainPanel::present);
    splitter->addWidget(buildSide());
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 2);
    layout->addWidget(splitter, 1);
    connect(&context_.run, &RunModel::updated, this, &TrainPanel::showRun);
    connect(&context_.run, &RunModel::stateChanged, this, &TrainPanel::showState);
    connect(&context_.training, &TrainingActions::changed, this, &TrainPanel::showState);
    connect(&context_.project, &StudioProject::modelChanged, this, &TrainPanel::showModel);
    const auto sayWhatIsMeasured = [this] {
        plots_->setMetricsPlaceholder(whatIsMeasured(context_.project));
    };
    connect(&context_.project, &StudioProject::specChanged, plots_, sayWhatIsMeasured);
    connect(&context_.project, &StudioProject::dataChanged, plots_, sayWhatIsMeasured);
    sayWhatIsMeasured();
    connect(&context_.project, &StudioProject::aboutToSave, this, &TrainPanel::keepView);
    connect(&context_.project, &StudioProject::opened, this, &TrainPanel::showKeptView);
    connect(plots_, &TrainPlots::failed, this, &TrainPanel::showError);
    const auto goBack = [this](QMenu& menu, double step) { offerToGoBack(menu, step); };
    plots_->setContextActions(goBack);
    own_->plot()->setContextActions(goBack);
    connect(checkpoints_, &CheckpointPane::failed, this, &TrainPanel::showError);
    connect(checkpoints_, &CheckpointPane::misfit, this,
            [this](const Problem& problem, const QString& path) {
                banner_->show(Banner::Kind::Attention, problem,
                              {{QStringLiteral("showMisfit"), tr("Show differences"),
                                [this, path] { checkpoints_->compareWithState(path); }},
                               {QStringLiteral("loadMatching"), tr("Load what fits"),
                                [this, path] { checkpoints_->loadMatching(path); }}});
            });
    connect(checkpoints_, &CheckpointPane::loaded, this,
            [this](qlonglong step, const Problem& remark) {
                if (!remark.isEmpty()) return banner_->show(Banner::Kind::Attention, remark);
                banner_->show(Banner::Kind::Good,
                              {tr("Checkpoint loaded"),
                               tr("Training continues after step %1.").arg(integerText(step)),
                               {}});
            });
    connect(&context_.training, &TrainingActions::failed, this, &TrainPanel::showError);
    connect(&context_.training, &TrainingActions::rolledBack, this, [this](qlonglong step) {
        banner_->show(Banner::Kind::Good, {tr("Back at step %1").arg(integerText(step)),
                                           tr("Later steps are discarded."),
                                           tr("Continue, or change something first.")});
    });
    showState();
    showRun();
}

void TrainPanel::keepView() {
    context_.project.setView(kPlotsKey, plots_->view());
    context_.project.setView(kOwnPlotKey, own_->view());
    context_.project.setView(kSmoothingKey, context_.run.smoothing());
}

void TrainPanel::showKeptView() {
    const QJsonValue plots = context_.project.view(kPlotsKey);
    const QJsonValue smoothing = context_.project.view(kSmoothingKey);
    own_->setView(context_.project.view(kOwnPlotKey).toObject());
    if (plots.isObject()) plots_->setView(plots.toObject());
    if (smoothing.isDouble()) context_.run.setSmoothing(smoothing.toDouble());
}

/// Offers the latest checkpoint of the run at or before the step.
void TrainPanel::offerToGoBack(QMenu& menu, double step) {
    const CheckpointEntry* latest = nullptr;
    for (const CheckpointEntry& entry : context_.run.checkpoints()) {
        const bool isBefore = entry.isOfRun && static_cast<double>(entry.step) <= step;
        if (isBefore && (latest == nullptr || entry.step > latest->step)) latest = &entry;
    }
    QAction* back = menu.addAction(
        themedIcon(QStringLiteral("undo")),
        latest == nullptr
            ? tr("No checkpoint up to here")
            : tr("Go back to the checkpoint of step %1").arg(integerText(latest->step)));
    back->setObjectName(QStringLiteral("goBack"));
    back->setEnabled(latest != nullptr && !context_.run.isActive());
    if (latest == nullptr) return;
    connect(back, &QAction::triggered, this,
            [this, path = latest->path] { checkpoints_->load(path); });
}

QBoxLayout* TrainPanel::buildTitle() {
    title_ = new QBoxLayout(QBoxLayout::LeftToRight);
    title_->setSpacing(em(this, 0.8));
    QLabel* title = makeLabel(tr("Train"), "title", this);
    title->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    title_->addWidget(title);
    title_->addWidget(buildButtons());
    return title_;
}

bool TrainPanel::event(QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) arrangeTitle();
    return QWidget::event(event);
}

/// The buttons are beside the title if all fit there in one line, else below it.
void TrainPanel::arrangeTitle() {
    if (title_ == nullptr) return;
    int wanted = title_->spacing();
    for (int i = 0; i < title_->count(); ++i)
        wanted += title_->itemAt(i)->widget()->sizeHint().width();
    const QMargins margins = layout()->contentsMargins();
    title_->setDirection(wanted <= width() - margins.left() - margins.right()
                             ? QBoxLayout::LeftToRight
                             : QBoxLayout::TopToBottom);
}

QWidget* TrainPanel::buildButtons() {
    auto* bar = new FlowRow(this);
    TrainingActions& actions = context_.training;
    auto* start = new ActionButton(actions.start(), true, bar);
    start->setObjectName(QStringLiteral("startButton"));
    bar->add(start);
    const std::pair<QAction*, const char*> others[] = {
        {actions.pause(), "pauseButton"},
        {actions.step(), "stepButton"},
    };
    for (const auto& [action, name] : others) {
        auto* button = new ActionButton(action, false, bar);
        button->setObjectName(QLatin1String(name));
        bar->add(button);
        if (action != actions.pause()) continue;
        connect(
            &context_.run, &RunModel::stateChanged, button, [this, start, button](RunState state) {
                const bool isPaused = state == RunState::Paused;
                const bool hasRemedy = state == RunState::Failed && !failure_->remedies().empty();
                button->setPrimary(isPaused);
                start->setPrimary(!isPaused && !hasRemedy);
            });
    }
    bar->add(buildStop(bar));
    return bar;
}

/// The usual way to stop, and a menu of all, and of starting over.
QWidget* TrainPanel::buildStop(QWidget* parent) {
    auto* pane = new QWidget(parent);
    auto* row = new QHBoxLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    TrainingActions& actions = context_.training;
    auto* stop = new ActionButton(actions.stop(), false, pane);
    stop->setObjectName(QStringLiteral("stopButton"));
    auto* more = new QToolButton(pane);
    more->setObjectName(QStringLiteral("stopMenuButton"));
    more->setAccessibleName(tr("Ways to stop and to start over"));
    more->setArrowType(Qt::DownArrow);
    more->setProperty("arrow", true);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    menu->addActions({actions.stop(), actions.stopAfterEpoch(), actions.stopNow()});
    menu->addSeparator();
    menu->addAction(actions.startOver());
    more->setMenu(menu);
    const auto refresh = [more, menu] {
        const QList<QAction*> choices = menu->actions();
        more->setEnabled(std::any_of(choices.begin(), choices.end(), [](const QAction* action) {
            return !action->isSeparator() && action->isEnabled();
        }));
    };
    for (const QAction* action : menu->actions()) connect(action, &QAction::changed, more, refresh);
    refresh();
    row->addWidget(stop);
    row->addWidget(more);
    return pane;
}

PlotView* TrainPanel::lossPlot() const { return plots_->loss(); }

/// The curves, a plot of chosen curves, and the plane of a model that has one.
QWidget* TrainPanel::buildCenter() {
    center_ = makeTabs(this);
    center_->setObjectName(QStringLiteral("trainTabs"));
    center_->setTabBarAutoHide(true);
    center_->addTab(plots_, tr("Curves"));
    own_ = explain(new OwnPlot(context_.run, center_), "loss");
    own_->plot()->setCursor(plots_->cursor());
    connect(own_->plot(), &PlotView::saveFailed, this,
            [this](const QString& path, const QString& why) {
                showError({tr("%1 could not be saved").arg(path), why, {}});
            });
    center_->addTab(own_, tr("Custom plot"));
    plane_ = explain(new PlaneView(context_, center_), "plane");
    plane_->hide();
    connect(plane_, &PlaneView::failed, this, &TrainPanel::showError);
    connect(plane_->follower(), &PlaneFollower::availabilityChanged, this, &TrainPanel::offerPlane);
    net_ = explain(new NetView(context_, center_), "unit");
    net_->hide();
    connect(net_, &NetView::failed, this, &TrainPanel::showError);
    connect(net_->follower(), &NetFollower::availabilityChanged, this, &TrainPanel::offerNet);
    offerPlane();
    offerNet();
    return center_;
}

void TrainPanel::offer(QWidget* view, const QString& title, bool isOffered) {
    const int tab = center_->indexOf(view);
    if (isOffered == (tab >= 0)) return;
    if (isOffered) {
        center_->addTab(view, title);
    } else {
        center_->removeTab(tab);
        view->hide();
    }
    if (presenter_ != nullptr) listPlots();
}

void TrainPanel::offerPlane() { offer(plane_, tr("Plane"), plane_->follower()->isAvailable()); }

void TrainPanel::offerNet() { offer(net_, tr("Units"), net_->follower()->net().has_value()); }

void TrainPanel::listPlots() {
    presenter_->setPlots({{tr("Loss"), plots_->loss(), plots_},
                          {tr("Metrics"), plots_->metrics(), plots_},
                          {tr("Gradient norm"), plots_->gradientNorm(), plots_},
                          {tr("Learning rate"), plots_->learningRate(), plots_},
                          {tr("Custom plot"), own_->plot(), own_},
                          {tr("Plane"), plane_->plot(), plane_},
                          {tr("Units"), net_->canvas(), net_}});
}

/// One plot is shown, large, with the buttons above it.
void TrainPanel::present(bool on) {
    for (QWidget* each : {static_cast<QWidget*>(figures_), static_cast<QWidget*>(steering_),
                          static_cast<QWidget*>(side_)})
        each->setVisible(!on);
    presenter_->setOn(on);
}

void TrainPanel::showPlane() {
    if (center_->indexOf(plane_) >= 0) center_->setCurrentWidget(plane_);
}

QWidget* TrainPanel::buildSide() {
    side_ = makeTabs(this);
    confusion_ = new ConfusionView(side_);
    auto* confusionPage = explain(new QWidget(side_), "confusion-matrix");
    explain(checkpoints_, "checkpoint");
    auto* layout = new QVBoxLayout(confusionPage);
    layout->setContentsMargins(0, em(this, 0.6), 0, 0);
    auto* caption = makeLabel(tr("Rows are the true classes, columns the predicted ones."), "muted",
                              confusionPage);
    caption->setWordWrap(true);
    layout->addWidget(caption);
    layout->addWidget(confusion_, 1);
    side_->addTab(checkpoints_, tr("Checkpoints"));
    side_->addTab(confusionPage, tr("Confusion"));
    return side_;
}

void TrainPanel::showModel() {
    plots_->setExpected({});
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
        case RunState::Running: return runningText();
        case RunState::Paused: return tr("Paused after step %1.").arg(integerText(run.step()));
        case RunState::Stopping: return tr("Stopping after this step…");
        case RunState::Finished: return finishedText();
        case RunState::Stopped: return tr("Stopped after step %1.").arg(integerText(run.step()));
        case RunState::Failed: return tr("Training failed.");
    }
    return {};
}

QString TrainPanel::finishedText() const {
    const RunModel& run = context_.run;
    const int steps = static_cast<int>(run.step());
    const QString time = durationText(run.end() ? run.end()->seconds : 0);
    const auto& saved = run.checkpoints();
    const bool keepsBest = std::any_of(saved.begin(), saved.end(), [](const auto& checkpoint) {
        return checkpoint.kind == QLatin1String("best");
    });
    const QString next =
        tr("The weights are under Checkpoints. Next: evaluate or export the model.");
    const QString what =
        !keepsBest || !run.bestStep()
            ? tr("Finished %Ln steps in %1.", nullptr, steps).arg(time)
            : tr("Finished %Ln steps in %1; the best, from step %2, is kept.", nullptr, steps)
                  .arg(time, integerText(*run.bestStep()));
    return what + QLatin1Char(' ') + next;
}

QString TrainPanel::runningText() const {
    const RunModel& run = context_.run;
    if (run.stopsAfterEpoch()) return tr("Stops at the end of this epoch.");
    const auto patience = context_.project.spec().run.earlyStopPatience;
    if (patience > 0 && run.lastEval())
        return tr("Ends early after %Ln evaluations without improvement; so far %1.", nullptr,
                  static_cast<int>(patience))
            .arg(integerText(run.lastEval()->withoutImprovement));
    return tr("Training %1 of %2 values on %Ln samples.", nullptr,
              static_cast<int>(run.started().trainSamples))
        .arg(integerText(run.started().trainableParameters), integerText(run.started().parameters));
}

void TrainPanel::showState() {
    const RunModel& run = context_.run;
    subtitle_->setText(stateText());
    if (run.state() == RunState::Preparing) {
        banner_->hide();
        plots_->setExpected(expectedCurveOf(context_.project));
    }
    if (run.state() == RunState::Failed) showFailure();
    showProgress();
}

void TrainPanel::showRun() {
    subtitle_->setText(stateText());
    showProgress();
    if (const auto& eval = context_.run.lastEval()) {
        confusion_->setMatrix(eval->confusion);
        side_->setTabVisible(1, eval->confusion != nullptr);
    }
    if (!context_.run.warnings().empty() && banner_->isHidden() && context_.run.isActive()) {
        const WarningEvent& warning = context_.run.warnings().back();
        const QString when = warning.step == 0 ? tr("Before the first step")
                                               : tr("Step %1").arg(integerText(warning.step));
        banner_->show(Banner::Kind::Attention,
                      {when, text(warning.message), hintText(warning.hint)});
    }
}

void TrainPanel::showProgress() {
    const RunModel& run = context_.run;
    const bool unknown = run.state() == RunState::Preparing;
    progress_->setRange(0, unknown ? 0 : static_cast<int>(std::max<int64_t>(1, run.totalSteps())));
    if (!unknown) progress_->setValue(static_cast<int>(std::min(run.step(), run.totalSteps())));
}

void TrainPanel::showFailure() {
    banner_->show(failure_->isMended() ? Banner::Kind::Attention : Banner::Kind::Bad,
                  failure_->problem(), failure_->remedies());
}

void TrainPanel::showError(const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); }

StageStatus TrainPanel::status(const StageContext& context) {
    switch (context.run.state()) {
        case RunState::Preparing:
        case RunState::Running:
        case RunState::Stopping: {
            const int64_t total = std::max<int64_t>(1, context.run.totalSteps());
            return {StageState::Running, tr("%1 % done").arg(100 * context.run.step() / total)};
        }
        case RunState::Paused: return {StageState::Running, tr("Paused")};
        case RunState::Failed: return {StageState::Attention, tr("Training failed")};
        case RunState::Finished: return {StageState::Done, tr("Finished")};
        case RunState::Stopped: return {StageState::Done, tr("Stopped")};
        case RunState::Idle: break;
    }
    if (!context.project.model()) return openModelFirst();
    const StartObstacle obstacle = startObstacle(context.project);
    if (!obstacle.text.isEmpty()) return {StageState::Locked, obstacle.text};
    return {StageState::Ready, tr("Ready to start")};
}

}  // namespace temper::ui
