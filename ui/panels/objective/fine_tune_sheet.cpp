// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/fine_tune_sheet.h"

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <array>
#include <utility>

#include "engine/data/data_spec.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/rehearsal/rehearsal.h"
#include "ui/checks/problem_list.h"
#include "ui/checks/start_obstacle.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/messages/hint_text.h"
#include "ui/panels/data/scale_edit.h"
#include "ui/panels/model/node_model.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"
#include "ui/run/training_actions.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Edits of the sheet are one step to undo.
constexpr int kMergeId = 90;
constexpr double kLargestCount = 1e9;

QLabel* wrapped(const QString& text, const char* role, QWidget* parent) {
    QLabel* label = makeLabel(text, role, parent);
    label->setWordWrap(true);
    return label;
}

}  // namespace

FineTuneSheet::FineTuneSheet(const PanelContext& context, QWidget* parent)
    : QDialog(parent),
      context_(context),
      before_(context.project.spec()),
      scope_(new QComboBox(this)),
      epochs_(new NumberEdit(NumberEdit::Kind::Integer, 1, kLargestCount, this)),
      rate_(new NumberEdit(NumberEdit::Kind::Real, 0, kLargestCount, this)),
      batch_(new NumberEdit(NumberEdit::Kind::Integer, 1, kLargestCount, this)),
      why_(wrapped({}, "muted", this)),
      whyEpochs_(wrapped({}, "muted", this)),
      whyRate_(wrapped({}, "muted", this)),
      whyBatch_(wrapped({}, "muted", this)),
      cost_(wrapped({}, "", this)),
      state_(wrapped({}, "", this)),
      choices_(new QGridLayout),
      find_(new QPushButton(tr("Find a learning rate"), this)),
      again_(new QPushButton(this)) {
    setObjectName(QStringLiteral("fineTune"));
    setWindowTitle(tr("Fine-tune"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(wrapped(title(), "heading", this));
    buildFields();
    layout->addWidget(makeLabel(tr("Proposed from the model and the data"), "heading", this));
    choices_->setColumnStretch(1, 1);
    choices_->setHorizontalSpacing(em(this, 1));
    layout->addLayout(choices_);
    layout->addWidget(cost_);
    auto* state = new QHBoxLayout;
    state->addWidget(state_, 1);
    again_->setObjectName(QStringLiteral("fineTuneAgain"));
    state->addWidget(again_, 0, Qt::AlignTop);
    layout->addLayout(state);
    layout->addStretch(1);
    buildButtons();
    resize(em(this, 44), em(this, 40));
    StudioProject& project = context_.project;
    scope_->setCurrentIndex(scope_->findData(static_cast<int>(proposeScope(request()))));
    connect(scope_, &QComboBox::currentIndexChanged, this, &FineTuneSheet::propose);
    const auto letChoose = [this](NumberEdit* field, QString FineTuning::*why) {
        connect(field, &NumberEdit::valueEdited, this, [this, why] {
            tuning_.*why = tr("Chosen here.");
            apply();
        });
    };
    letChoose(epochs_, &FineTuning::whyEpochs);
    letChoose(rate_, &FineTuning::whyRate);
    letChoose(batch_, &FineTuning::whyBatch);
    connect(rate_, &QLineEdit::textEdited, this, &FineTuneSheet::stopFinding);
    connect(find_, &QPushButton::clicked, this,
            [this] { rateTask_ == 0 ? findRate() : stopFinding(); });
    connect(again_, &QPushButton::clicked, this, &FineTuneSheet::tryAgain);
    connect(&project, &StudioProject::preparationChanged, this, &FineTuneSheet::showState);
    connect(&project, &StudioProject::dataChanged, this, &FineTuneSheet::takeData);
    connect(&project, &StudioProject::aboutToClose, this, &QDialog::accept);
    propose();
}

QString FineTuneSheet::title() const {
    const StudioProject& project = context_.project;
    const QString samples =
        tr("%Ln samples", nullptr, static_cast<int>(project.data()->training()->size()));
    return tr("%1 on %2").arg(project.model()->title, samples);
}

void FineTuneSheet::buildFields() {
    const std::array<std::pair<FineTuneScope, QString>, 5> scopes{{
        {FineTuneScope::LastLayer, tr("The last layer")},
        {FineTuneScope::LastLayers, tr("The last three layers")},
        {FineTuneScope::BiasesAndNorms, tr("Biases and norms")},
        {FineTuneScope::LastLayerFirst, tr("The last layer, then everything")},
        {FineTuneScope::Everything, tr("Everything")},
    }};
    for (const auto& [scope, name] : scopes) scope_->addItem(name, static_cast<int>(scope));
    scope_->setObjectName(QStringLiteral("fineTuneScope"));
    epochs_->setObjectName(QStringLiteral("fineTuneEpochs"));
    rate_->setObjectName(QStringLiteral("fineTuneRate"));
    batch_->setObjectName(QStringLiteral("fineTuneBatch"));
    find_->setObjectName(QStringLiteral("fineTuneFind"));
    whyEpochs_->setObjectName(QStringLiteral("fineTuneWhyEpochs"));
    whyRate_->setObjectName(QStringLiteral("fineTuneWhyRate"));
    whyBatch_->setObjectName(QStringLiteral("fineTuneWhyBatch"));
    cost_->setObjectName(QStringLiteral("fineTuneCost"));
    explain(scope_, QStringLiteral("frozen"));
    explain(epochs_, QStringLiteral("epoch"));
    explain(rate_, QStringLiteral("learning-rate"));
    explain(batch_, QStringLiteral("batch"));
    auto* rate = new QHBoxLayout;
    rate->addWidget(rate_);
    rate->addWidget(find_);
    rate->addStretch(1);
    auto* form = new QFormLayout;
    form->addRow(tr("&Parameters to train"), scope_);
    form->addRow(why_);
    form->addRow(tr("&Epochs"), epochs_);
    form->addRow(whyEpochs_);
    auto* rateLabel = new QLabel(tr("Learning &rate"), this);
    rateLabel->setBuddy(rate_);
    form->addRow(rateLabel, rate);
    form->addRow(whyRate_);
    form->addRow(tr("&Batch size"), batch_);
    form->addRow(whyBatch_);
    for (NumberEdit* field : {epochs_, rate_, batch_}) field->setMaximumWidth(em(this, 9));
    rate_->setAccessibleName(tr("Learning rate"));
    static_cast<QVBoxLayout*>(layout())->addLayout(form);
}

void FineTuneSheet::buildButtons() {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    start_ = makePrimaryButton(tr("Start training"), QStringLiteral("play"), this);
    start_->setObjectName(QStringLiteral("fineTuneStart"));
    buttons->addButton(start_, QDialogButtonBox::AcceptRole);
    QPushButton* use = buttons->addButton(tr("Use these settings"), QDialogButtonBox::ApplyRole);
    use->setObjectName(QStringLiteral("fineTuneUse"));
    layout()->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &FineTuneSheet::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &FineTuneSheet::start);
    connect(use, &QPushButton::clicked, this, &QDialog::accept);
    connect(this, &QDialog::finished, this, [this] {
        cancelTasks();
        disconnect(&context_.project, nullptr, this, nullptr);  // what comes now is not asked for
    });
}

FineTuneScope FineTuneSheet::scope() const {
    return static_cast<FineTuneScope>(scope_->currentData().toInt());
}

FineTuneRequest FineTuneSheet::request() const {
    const StudioProject& project = context_.project;
    const auto& preparation = project.preparation();
    return {*project.model(), *project.data(), *project.ops(), before_,
            preparation ? preparation->fixedBatch : std::nullopt};
}

void FineTuneSheet::propose() {
    if (!context_.project.model() || !context_.project.data()) return;
    tuning_ = proposeFineTuning(request(), scope());
    isRateOpen_ = true;
    applyScale();
    showFields();
    showChoices();
    edit(tuning_.spec);
}

void FineTuneSheet::apply() {
    RunSpec& run = tuning_.spec.run;
    run.epochs = static_cast<int64_t>(epochs_->value());
    run.learningRate = rate_->value();
    run.batchSize = static_cast<int64_t>(batch_->value());
    if (context_.project.data()) setPhases(request(), tuning_.scope, tuning_.spec);
    edit(tuning_.spec);
}

void FineTuneSheet::takeData() {
    if (context_.project.model() && context_.project.data()) {
        if (scope() != tuning_.scope) return propose();  // chosen while the data was being read
        const TrainingSpec before = tuning_.spec;
        setPhases(request(), tuning_.scope, tuning_.spec);
        if (tuning_.spec != before) edit(tuning_.spec);
        showScale();
    }
    showState();
}

void FineTuneSheet::edit(const TrainingSpec& spec) {
    cancelTasks();
    showReasons();
    isEstimated_ = false;
    cost_->clear();
    context_.project.edit(tr("Set up fine-tuning"), spec, kMergeId);
    showState();
}

void FineTuneSheet::showFields() {
    const RunSpec& run = tuning_.spec.run;
    epochs_->setValue(static_cast<double>(run.epochs));
    rate_->setValue(run.learningRate);
    batch_->setValue(static_cast<double>(run.batchSize));
    batch_->setEnabled(!request().fixedBatch);
}

void FineTuneSheet::showReasons() {
    whyEpochs_->setText(tuning_.whyEpochs);
    whyRate_->setText(tuning_.whyRate);
    whyBatch_->setText(tuning_.whyBatch);
}

void FineTuneSheet::applyScale() {
    if (!scale_) return;
    try {
        DataSpec source = parseDataSpec(tuning_.spec.run.data, lessonFiles());
        setInputScale(source.options, *scale_);
        tuning_.spec.run.data = formatDataSpec(source);
    } catch (const Error&) {  // such data can't be opened
    }
}

QWidget* FineTuneSheet::makeScale(QLabel* why) {
    auto* scale = explain(new ScaleEdit(QStringLiteral("fineTune"), this), "normalization");
    scaleEdit_ = scale;
    if (scale_) why->setText(tr("Chosen here."));
    showScale();
    connect(scale, &ScaleEdit::edited, this, [this, why](const InputScale& chosen) {
        scale_ = chosen;
        why->setText(tr("Chosen here."));
        applyScale();
        edit(tuning_.spec);
    });
    return scale;
}

void FineTuneSheet::showScale() {
    if (!scaleEdit_) return;
    try {
        scaleEdit_->show(parseDataSpec(tuning_.spec.run.data, lessonFiles()).options,
                         context_.project.data());
    } catch (const Error&) {  // such data can't be opened
    }
}

void FineTuneSheet::showChoices() {
    for (QWidget* row : rows_) row->deleteLater();
    rows_.clear();
    for (const ProposedChoice& choice : tuning_.choices) {
        const int row = choices_->rowCount();
        QLabel* name = makeLabel(choice.title, "muted", this);
        auto* what = new QWidget(this);
        auto* column = new QVBoxLayout(what);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        QLabel* why = wrapped(choice.why, "muted", what);
        if (choice.id == QStringLiteral("scale")) {
            column->addWidget(makeScale(why));
        } else {
            QLabel* value = wrapped(choice.value, "", what);
            value->setObjectName(QStringLiteral("fineTune.%1").arg(choice.id));
            column->addWidget(value);
        }
        column->addWidget(why);
        auto* open = new QPushButton(tr("Change…"), this);
        open->setAccessibleName(tr("Change: %1").arg(choice.title));
        connect(open, &QPushButton::clicked, this, [this, page = choice.page] {
            accept();
            emit context_.navigator.pageRequested(page);
        });
        choices_->addWidget(name, row, 0, Qt::AlignTop);
        choices_->addWidget(what, row, 1);
        choices_->addWidget(open, row, 2, Qt::AlignTop);
        rows_.insert(rows_.end(), {name, what, open});
    }
}

/// What keeps it from starting, or what it will take.
void FineTuneSheet::showState() {
    StudioProject& project = context_.project;
    const bool isBusy = project.isPreparing() || project.isLoadingData();
    const StartObstacle obstacle = startObstacle(project);
    const bool isReady = !isBusy && obstacle.text.isEmpty();
    // A new head has other parameters.
    if (project.model() && project.data())
        why_->setText(whyScope(tuning_.scope, *project.model(), *project.ops(),
                               project.data()->training()->size()));
    start_->setEnabled(isReady && !context_.run.isActive());
    find_->setEnabled(isReady || rateTask_ != 0);
    find_->setText(rateTask_ == 0 ? tr("Find a learning rate") : tr("Stop the search"));
    QString message;
    if (isBusy) {
        message = tr("Preparing…");
    } else if (!obstacle.text.isEmpty()) {
        message = obstacle.text;
        for (const ListedProblem& listed : problemsOf(project)) {
            if (listed.finding.severity != Severity::Error) continue;
            message =
                text(listed.finding.message) + QLatin1Char('\n') + hintText(listed.finding.hint);
            break;
        }
    }
    state_->setText(message);
    state_->setVisible(!message.isEmpty());
    const bool canRead = !project.dataProblem().isEmpty();
    again_->setText(canRead ? tr("Read again") : tr("Prepare again"));
    again_->setVisible(!isBusy && (canRead || !project.preparationProblem().isEmpty()));
    if (!isReady) return;
    if (!isEstimated_)
        estimate();
    else if (isRateOpen_ && estimateTask_ == 0 && rateTask_ == 0)
        findRate();
}

void FineTuneSheet::tryAgain() {
    context_.project.readDataAgain();
    context_.project.prepareAgain();
}

void FineTuneSheet::estimate() {
    isEstimated_ = true;
    const RunRequest run = makeRunRequest(context_.project, true);
    TaskRunner* tasks = context_.project.tasks();
    estimateTask_ = tasks->run(
        tr("Trying a few steps"), tr("The run could not be estimated"),
        [run](std::stop_token token) {
            return estimateRun(*run.artifacts, run.ops, run.data, run.run,
                               [&] { return token.stop_requested(); });
        },
        [this](const RunEstimate& found) {
            estimateTask_ = 0;
            const double seconds = found.totalSeconds();
            const QString time =
                seconds < 1 ? tr("Less than a second") : tr("About %1").arg(durationText(seconds));
            cost_->setText(
                tr("%1 for %2 steps, and %3 of memory.")
                    .arg(time, integerText(found.totalSteps),
                         bytesText(found.memory.arenaBytes + found.memory.parameterBytes)));
            showState();
        },
        [this](const Problem& problem) {
            estimateTask_ = 0;
            isRateOpen_ = false;
            if (!problem.isCancelled) cost_->setText(problem.message);
        });
    tasks->letCancel(estimateTask_);
}

void FineTuneSheet::findRate() {
    const RunRequest run = makeRunRequest(context_.project, true);
    TaskRunner* tasks = context_.project.tasks();
    rateTask_ = tasks->run(
        tr("Looking for a learning rate"), tr("No learning rate was found"),
        [run](std::stop_token token) {
            return findLearningRate(*run.artifacts, run.ops, run.data, run.run, {},
                                    [&](const LrRangePoint&) { return !token.stop_requested(); })
                .suggested;
        },
        [this](double rate) {
            showRate(rate);
            stopFinding();
        },
        [this](const Problem& problem) {
            if (!problem.isCancelled) tuning_.whyRate = problem.message;
            stopFinding();
        });
    tasks->letCancel(rateTask_);
    whyRate_->setText(tr("Trying rates on a copy of the model…"));
    showState();
}

void FineTuneSheet::stopFinding() {
    isRateOpen_ = false;
    cancel(rateTask_);
    showReasons();
    showState();
}

void FineTuneSheet::showRate(double rate) {
    // The search is less precise than two digits.
    const double rounded = QString::number(rate, 'g', 2).toDouble();
    if (rounded <= 0) {
        tuning_.whyRate =
            tr("The loss did not fall at any rate. Check the data and the loss first.");
        return;
    }
    rate_->setValue(rounded);
    tuning_.whyRate = tr("Found by trying growing rates on a copy of the model.");
    tuning_.spec.run.learningRate = rounded;
    context_.project.edit(tr("Set up fine-tuning"), tuning_.spec, kMergeId);  // the estimate stays
}

void FineTuneSheet::cancel(int& task) {
    if (task != 0) context_.project.tasks()->cancel(std::exchange(task, 0));
}

void FineTuneSheet::cancelTasks() {
    cancel(rateTask_);
    cancel(estimateTask_);
}

void FineTuneSheet::start() {
    accept();
    context_.training.start()->trigger();
}

void FineTuneSheet::keyPressEvent(QKeyEvent* event) {
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && qobject_cast<QLineEdit*>(focusWidget()) != nullptr) return event->accept();
    QDialog::keyPressEvent(event);
}

void FineTuneSheet::reject() {
    context_.project.edit(tr("Set up fine-tuning"), before_, kMergeId);
    QDialog::reject();
}

}  // namespace temper::ui
