// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/evaluate_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/training/analysis/report_csv.h"
#include "ui/commands/activity.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/panels/evaluate/class_report_model.h"
#include "ui/panels/evaluate/curves_view.h"
#include "ui/panels/evaluate/sample_view.h"
#include "ui/panels/evaluate/try_view.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/confusion_view.h"
#include "ui/widgets/filling_column.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

constexpr std::chrono::milliseconds kWatch{100};

}  // namespace

EvaluatePanel::EvaluatePanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent), context_(context), banner_(new Banner(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    layout->addLayout(makePageHeader(tr("Evaluate"),
                                     tr("How good the model is, where it fails, and why."), this));
    layout->addWidget(banner_);
    layout->addWidget(buildControls());
    tabs_ = makeTabs(this);
    tabs_->setObjectName(QStringLiteral("evaluateTabs"));
    curves_ = new CurvesView(tabs_);
    samples_ = new SampleView(context_.project.tasks(), tabs_);
    try_ = new TryView(context_, weights_, tabs_);
    tabs_->addTab(buildOverview(), tr("Metrics"));
    explain(curves_, "roc");
    explain(samples_, "sample");
    explain(try_, "saliency");
    tabs_->addTab(curves_, tr("Curves"));
    tabs_->addTab(samples_, tr("Samples"));
    tabs_->addTab(try_, tr("Try it"));
    layout->addWidget(tabs_, 1);
    connect(tabs_, &QTabWidget::currentChanged, this, [this] {
        if (tabs_->currentWidget() == curves_)
            emit Activity::of(context_.navigator).acted(QStringLiteral("show curves"));
    });
    watch_.setInterval(kWatch);
    connect(&watch_, &QTimer::timeout, this,
            [this] { progress_->setValue(static_cast<int>(done_ ? done_->load() : 0)); });
    connect(samples_, &SampleView::evaluationRequested, this, &EvaluatePanel::evaluate);
    connect(try_, &TryView::failed, this, &EvaluatePanel::showError);
    connect(samples_, &SampleView::sampleChosen, this,
            [this](const std::shared_ptr<const Dataset>& from, qlonglong sample, qlonglong place) {
                tabs_->setCurrentWidget(try_);
                try_->showSample(from, sample, place);
            });
    connect(weights_, &QComboBox::activated, this, [this] {
        try_->refreshWeights();
        evaluate();
    });
    connect(&context_.navigator, &Navigator::trialRequested, this,
            [this](const QString& checkpoint, bool isAverage) {
                weights_->choose(checkpoint, isAverage);
                tabs_->setCurrentWidget(try_);
                try_->refreshWeights();
            });
    connect(&context_.project, &StudioProject::modelChanged, this, &EvaluatePanel::refresh);
    connect(&context_.project, &StudioProject::dataChanged, this, &EvaluatePanel::refresh);
    connect(&context_.project, &StudioProject::preparationChanged, this, &EvaluatePanel::refresh);
    connect(&context_.run, &RunModel::stateChanged, this, &EvaluatePanel::refreshButtons);
    refresh();
}

QWidget* EvaluatePanel::buildControls() {
    QFrame* card = makeCard(this);
    auto* row = new QHBoxLayout;
    weights_ = explain(new WeightSource(context_, card), "checkpoint");
    row->addWidget(weights_);
    part_ = explain(new QComboBox(card), "validation");
    part_->setObjectName(QStringLiteral("evaluatedPart"));
    part_->setAccessibleName(tr("Samples to show"));
    part_->addItem(tr("Validation samples"));
    part_->addItem(tr("Training samples"));
    row->addWidget(part_);
    run_ = makePrimaryButton(tr("Evaluate"), QStringLiteral("play"), card);
    run_->setObjectName(QStringLiteral("evaluateButton"));
    connect(run_, &QPushButton::clicked, this, [this] { isEvaluating() ? cancel() : evaluate(); });
    row->addWidget(run_);
    row->addStretch(1);
    save_ = buildSave(card);
    row->addWidget(save_);
    cardLayout(card)->addLayout(row);
    summary_ = makeLabel({}, "muted", card);
    summary_->setObjectName(QStringLiteral("evaluationSummary"));
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    summary_->setWordWrap(true);
    summary_->hide();
    cardLayout(card)->addWidget(summary_);
    progress_ = new QProgressBar(card);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress of the evaluation"));
    progress_->hide();
    cardLayout(card)->addWidget(progress_);
    return card;
}

QToolButton* EvaluatePanel::buildSave(QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("saveEvaluation"));
    button->setText(tr("Save as"));
    button->setAccessibleName(tr("Save the evaluation"));
    button->setFocusPolicy(Qt::StrongFocus);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    menu->addAction(tr("Predictions of the samples (CSV)…"), this, [this] {
        askSave(QStringLiteral("predictions.csv"), &EvaluatePanel::savePredictions);
    });
    saveReport_ = menu->addAction(tr("Metrics of the classes (CSV)…"), this, [this] {
        askSave(QStringLiteral("classes.csv"), &EvaluatePanel::saveClassReport);
    });
    button->setMenu(menu);
    return button;
}

void EvaluatePanel::askSave(const QString& name, void (EvaluatePanel::*save)(const QString&)) {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the evaluation"), name, tr("Tables (*.csv)"));
    if (!path.isEmpty()) (this->*save)(path);
}

void EvaluatePanel::savePredictions(const QString& path) {
    saveAs(path, [result = result_, file = path.toStdString()](const std::stop_token& stop) {
        return exportPredictions(file, result->set, stop);
    });
}

void EvaluatePanel::saveClassReport(const QString& path) {
    saveAs(path, [result = result_, file = path.toStdString()](const std::stop_token&) {
        exportClassReport(file, result->report, result->curves);
        return true;
    });
}

void EvaluatePanel::saveAs(const QString& path, std::function<bool(std::stop_token)> write) {
    if (!result_) return;
    context_.project.tasks()->mustFinish(context_.project.tasks()->run(
        tr("Saving the evaluation"), tr("The evaluation could not be saved"), std::move(write),
        [this, path](bool done) {
            if (!done) return;
            banner_->show(Banner::Kind::Good, {{}, tr("Saved as %1").arg(path), {}});
            emit saved(path);
        },
        [this](const Problem& problem) { showError(problem); }));
}

QWidget* EvaluatePanel::buildOverview() {
    overview_ = new QStackedWidget(tabs_);
    auto* empty = new Placeholder(
        QStringLiteral("chart"),
        tr("See which classes are confused, and how high precision and recall are."),
        tr("Evaluate"), overview_);
    connect(empty, &Placeholder::triggered, this, &EvaluatePanel::evaluate);
    overview_->addWidget(empty);
    auto* classes = new QSplitter(overview_);
    classes->setChildrenCollapsible(false);
    classes->setHandleWidth(em(this, 0.8));
    auto* left = new QWidget(classes);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, em(this, 0.6), 0, 0);
    auto* caption = makeLabel(tr("Rows are the true classes, columns the predicted ones. Choose a "
                                 "cell to see its samples."),
                              "muted", left);
    caption->setWordWrap(true);
    column->addWidget(caption);
    confusion_ = explain(new ConfusionView(left), "confusion-matrix");
    confusion_->setObjectName(QStringLiteral("evaluateConfusion"));
    confusion_->setInteractive(true);
    connect(confusion_, &ConfusionView::cellChosen, this, &EvaluatePanel::chooseCell);
    column->addWidget(confusion_, 1);
    classes->addWidget(left);
    report_ = new ClassReportModel(this);
    reportTable_ = explain(makeTable(report_, classes, true), "precision");
    reportTable_->setObjectName(QStringLiteral("classReport"));
    reportTable_->setAccessibleName(tr("Metrics of each class"));
    fillWithColumn(reportTable_, ClassReportModel::Name);
    classes->addWidget(reportTable_);
    // Beside the matrix, the table has room for all its columns.
    classes->setStretchFactor(0, 2);
    classes->setStretchFactor(1, 3);
    overview_->addWidget(classes);
    auto* numbers =
        new Placeholder(QStringLiteral("chart"), {}, tr("Show the residuals"), overview_);
    numbers->setObjectName(QStringLiteral("numberFigures"));
    connect(numbers, &Placeholder::triggered, this, [this] { tabs_->setCurrentWidget(curves_); });
    overview_->addWidget(numbers);
    return overview_;
}

void EvaluatePanel::evaluate() {
    if (isEvaluating()) cancel();
    if (!context_.project.data() || !context_.project.preparation()) return;
    banner_->hide();
    fetching_ = true;
    refreshButtons();
    weights_->fetch(
        [this](Weights weights) {
            if (!std::exchange(fetching_, false)) return;
            if (!weights.remark.isEmpty()) banner_->show(Banner::Kind::Attention, weights.remark);
            start(std::move(weights));
        },
        [this](const Problem& problem) {
            fetching_ = false;
            refreshButtons();
            showError(problem);
        });
}

void EvaluatePanel::start(Weights weights) {
    const auto& preparation = context_.project.preparation();
    const auto& loaded = context_.project.data();
    if (!preparation || !loaded) return refreshButtons();
    const bool wantsTraining = part_->currentIndex() == 1 || !loaded->evaluation();
    EvaluationRequest request{std::move(weights), context_.project.ops(),
                              wantsTraining ? loaded->training() : loaded->evaluation(),
                              preparation->proposal.binding,
                              std::make_shared<std::atomic<int64_t>>(0)};
    done_ = request.progress;
    progress_->setRange(0, static_cast<int>(std::min<int64_t>(request.data->size(),
                                                              PredictionOptions().maxSamples)));
    task_ = context_.project.tasks()->run(
        tr("Evaluating"), tr("The evaluation failed"),
        [request](std::stop_token stop) { return evaluateIdly(request, stop); },
        [this, wantsTraining](std::shared_ptr<const EvaluationResult> result) {
            task_ = 0;
            adopt(std::move(result));
            emit Activity::of(context_.navigator).acted(QStringLiteral("evaluate"));
            if (wantsTraining)
                emit Activity::of(context_.navigator)
                    .acted(QStringLiteral("evaluate training samples"));
        },
        [this](const Problem& problem) {
            task_ = 0;
            refreshButtons();
            if (!problem.isCancelled) showError(problem);
        });
    context_.project.tasks()->letCancel(task_);
    watch_.start();
    refreshButtons();
}

void EvaluatePanel::cancel() {
    context_.project.tasks()->cancel(task_);
    task_ = 0;
    fetching_ = false;
    refreshButtons();
}

void EvaluatePanel::adopt(std::shared_ptr<const EvaluationResult> result) {
    result_ = std::move(result);
    refreshButtons();
    summary_->setText(summary());
    summary_->setVisible(result_ != nullptr);
    const bool hasPairs = result_ && result_->confusion;
    overview_->setCurrentIndex(!result_ ? 0 : hasPairs ? 1 : 2);
    confusion_->setMatrix(hasPairs ? result_->confusion : nullptr);
    report_->setResult(result_);
    if (result_ && !hasPairs) {
        auto* figures = static_cast<Placeholder*>(overview_->widget(2));
        figures->setSentence(summary());
        figures->setButtonVisible(!result_->isOfClasses());
    }
    curves_->setResult(result_);
    samples_->setResult(result_);
}

QString EvaluatePanel::summary() const {
    if (!result_) return {};
    const QLocale locale;
    const QString common = tr("%1 predictions with the weights after step %2 · loss %3")
                               .arg(integerText(result_->set.entries()), integerText(result_->step),
                                    locale.toString(result_->meanLoss, 'g', 4));
    if (result_->isOfClasses() && !result_->confusion)
        return tr("%1 · accuracy %2 %")
            .arg(common, locale.toString(100 * result_->report.accuracy, 'f', 1));
    if (result_->isOfClasses())
        return tr("%1 · accuracy %2 % · F1 %3")
            .arg(common, locale.toString(100 * result_->report.accuracy, 'f', 1),
                 locale.toString(result_->report.macro.f1, 'f', 3));
    const NumberFigures& figures = result_->figures;
    return tr("%1 · mean absolute error %2 · root mean square %3 · R² %4")
        .arg(common, locale.toString(figures.meanAbsolute, 'g', 4),
             locale.toString(figures.rootMeanSquare, 'g', 4), locale.toString(figures.r2, 'f', 3));
}

void EvaluatePanel::refresh() {
    if (generation_ != context_.project.generation()) {
        generation_ = context_.project.generation();
        cancel();
        banner_->hide();
        adopt(nullptr);
    }
    const auto& loaded = context_.project.data();
    part_->setEnabled(loaded && loaded->evaluation());
    try_->refresh();
    refreshButtons();
}

void EvaluatePanel::refreshButtons() {
    const bool isReady = context_.project.data() && weights_->isAvailable();
    run_->setEnabled(isReady);
    run_->setText(!isReady         ? tr("Choose data first")
                  : isEvaluating() ? tr("Cancel")
                                   : tr("Evaluate"));
    save_->setVisible(result_ != nullptr);
    saveReport_->setVisible(result_ && result_->confusion);
    progress_->setVisible(task_ != 0);
    if (task_ == 0) watch_.stop();
}

void EvaluatePanel::showError(const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); }

void EvaluatePanel::chooseCell(int truth, int predicted) {
    samples_->setCell(truth, predicted);
    emit Activity::of(context_.navigator).acted(QStringLiteral("choose cell"));
    tabs_->setCurrentWidget(samples_);
}

StageStatus EvaluatePanel::status(const StageContext& context) {
    if (!context.project.model()) return openModelFirst();
    const auto& preparation = context.project.preparation();
    if (!context.project.data()) return {StageState::Locked, tr("Choose data")};
    if (!preparation || !preparation->artifacts)
        return {StageState::Locked, tr("Prepare training")};
    return {StageState::Ready, tr("Look at predictions")};
}

}  // namespace temper::ui
