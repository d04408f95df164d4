// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/objective_panel.h"

#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "engine/training/training_session.h"
#include "ui/project/stages.h"
#include "ui/project/studio_project.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/hyper_form.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Merges what is typed into one field; each field has its own number.
constexpr int kMergeBase = 100;

constexpr double kLargestCount = 1e9;
constexpr double kLeastMemoryShare = 0.01;

}  // namespace

ChoiceEditor::ChoiceEditor(const QString& what, const std::vector<Choice>& choices,
                           Accessor accessor, StudioProject& project, QWidget* parent)
    : QWidget(parent),
      what_(what),
      choices_(choices),
      accessor_(std::move(accessor)),
      project_(project),
      box_(new QComboBox(this)),
      help_(makeLabel({}, "muted", this)),
      form_(new HyperForm(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.4));
    for (const Choice& choice : choices) box_->addItem(text(choice.label), text(choice.key));
    box_->setAccessibleName(what);
    help_->setWordWrap(true);
    layout->addWidget(box_);
    layout->addWidget(help_);
    layout->addWidget(form_);
    connect(box_, &QComboBox::activated, this, &ChoiceEditor::choose);
    connect(form_, &HyperForm::valueEdited, this,
            [this](const QString& key, const QString& label, double value) {
                TrainingSpec spec = project_.spec();
                accessor_(spec).values[key.toStdString()] = value;
                project_.edit(tr("Change %1").arg(label), spec);
            });
    connect(form_, &HyperForm::listEdited, this,
            [this](const QString& key, const QString& label, const std::vector<double>& list) {
                TrainingSpec spec = project_.spec();
                accessor_(spec).lists[key.toStdString()] = list;
                project_.edit(tr("Change %1").arg(label), spec);
            });
}

void ChoiceEditor::allowText(const QString& label, const QString& help) {
    textHelp_ = help;
    text_ = new QLineEdit(this);
    text_->setObjectName(QStringLiteral("formula"));
    text_->setAccessibleName(label);
    text_->hide();
    box_->addItem(label);
    layout()->addWidget(text_);
    connect(text_, &QLineEdit::editingFinished, this, [this] {
        TrainingSpec spec = project_.spec();
        const std::string written = text_->text().trimmed().toStdString();
        if (text_->isHidden() || written == accessor_(spec).key) return;
        accessor_(spec) = {written, {}};
        project_.edit(tr("Change %1").arg(what_), spec);
    });
}

/// The text begins as a call of what was chosen before.
void ChoiceEditor::choose() {
    TrainingSpec spec = project_.spec();
    Selection& selection = accessor_(spec);
    QString key = box_->currentData().toString();
    if (key.isEmpty()) {
        if (findChoice(choices_, selection.key) == nullptr) return;
        key = text(selection.key).replace('-', '_') + "()";
    }
    selection = {key.toStdString(), {}};
    project_.edit(tr("%1: %2").arg(what_, box_->currentText()), spec);
}

void ChoiceEditor::showText(const QString& written) {
    box_->setCurrentIndex(box_->count() - 1);
    help_->setText(textHelp_);
    form_->hide();
    if (text_->text() != written) text_->setText(written);
    text_->show();
}

void ChoiceEditor::refresh() {
    TrainingSpec spec = project_.spec();
    const Selection& selection = accessor_(spec);
    const Choice* choice = findChoice(choices_, selection.key);
    if (choice == nullptr && text_ != nullptr) return showText(text(selection.key));
    if (text_ != nullptr) text_->hide();
    if (choice == nullptr) {
        box_->setCurrentIndex(-1);
        return help_->setText(tr("\"%1\" can't be changed here.").arg(text(selection.key)));
    }
    box_->setCurrentIndex(box_->findData(text(selection.key)));
    help_->setText(text(choice->help));
    form_->show(*choice, selection);
    form_->setVisible(!choice->hyperParameters.empty());
}

ObjectivePanel::ObjectivePanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent), project_(context.project), banner_(new Banner(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    layout->addLayout(
        makePageHeader(tr("Objective"),
                       tr("What training minimises, how it takes its steps, and how many."), this));
    layout->addWidget(banner_);
    auto* content = new QWidget;
    content->setProperty("scrolled", true);
    auto* grid = new QGridLayout(content);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(em(this, 0.8));
    grid->addWidget(buildLoss(), 0, 0);
    grid->addWidget(buildOptimizer(), 1, 0);
    grid->addWidget(buildRun(), 0, 1, 2, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(2, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    layout->addWidget(scroll, 1);
    connect(&project_, &StudioProject::modelChanged, this, &ObjectivePanel::refreshPrediction);
    connect(&project_, &StudioProject::specChanged, this, &ObjectivePanel::refresh);
    connect(&project_, &StudioProject::preparationChanged, this, &ObjectivePanel::showFindings);
}

QWidget* ObjectivePanel::buildLoss() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("Loss"), "heading", card));
    loss_ = new ChoiceEditor(
        tr("Loss"), lossChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.artifacts.loss; }, project_, card);
    loss_->allowText(tr("Formula"), tr("Losses of outputs and targets, weighed and added: "
                                       "0.4*mse(out1, target1) + 0.6*l1(out2, target2)"));
    cardLayout(card)->addWidget(loss_);
    auto* form = new QFormLayout;
    prediction_ = new QComboBox(card);
    prediction_->setObjectName(QStringLiteral("prediction"));
    prediction_->setAccessibleName(tr("Output that the loss reads"));
    connect(prediction_, &QComboBox::activated, this, [this] {
        TrainingSpec spec = project_.spec();
        spec.artifacts.lossInputs = {prediction_->currentText().toStdString()};
        project_.edit(tr("Loss reads %1").arg(prediction_->currentText()), spec);
    });
    form->addRow(tr("Reads output"), prediction_);
    cardLayout(card)->addLayout(form);
    cardLayout(card)->addStretch(1);
    return card;
}

QWidget* ObjectivePanel::buildOptimizer() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("Optimizer"), "heading", card));
    optimizer_ = new ChoiceEditor(
        tr("Optimizer"), optimizerChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.artifacts.optimizer; }, project_, card);
    cardLayout(card)->addWidget(optimizer_);
    cardLayout(card)->addStretch(1);
    return card;
}

QWidget* ObjectivePanel::buildRun() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("Run"), "heading", card));
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addNumber(
        form, tr("Epochs"), tr("How often every sample is seen."), true, 1, 1e6,
        [](const RunSpec& run) { return static_cast<double>(run.epochs); },
        [](RunSpec& run, double value) { run.epochs = static_cast<int64_t>(value); });
    addNumber(
        form, tr("Batch size"), tr("Samples whose gradients are averaged in one pass."), true, 1,
        1e6, [](const RunSpec& run) { return static_cast<double>(run.batchSize); },
        [](RunSpec& run, double value) { run.batchSize = static_cast<int64_t>(value); });
    addNumber(
        form, tr("Learning rate"), tr("How far each step goes."), false, 0, 1e3,
        [](const RunSpec& run) { return run.learningRate; },
        [](RunSpec& run, double value) { run.learningRate = value; });
    addNumber(
        form, tr("Accumulate batches"),
        tr("Batches whose gradients are averaged before a step is taken."), true, 1, 1e6,
        [](const RunSpec& run) { return static_cast<double>(run.accumulate); },
        [](RunSpec& run, double value) { run.accumulate = static_cast<int64_t>(value); });
    addNumber(
        form, tr("Clip gradient norm"), tr("Larger gradients are scaled down to it; 0 is off."),
        false, 0, kLargestCount, [](const RunSpec& run) { return run.clipNorm; },
        [](RunSpec& run, double value) { run.clipNorm = value; });
    addNumber(
        form, tr("Clip gradients"), tr("Each number of the gradients is cut to it; 0 is off."),
        false, 0, kLargestCount, [](const RunSpec& run) { return run.clipValue; },
        [](RunSpec& run, double value) { run.clipValue = value; });
    addNumber(
        form, tr("Average of the weights"),
        tr("Decay of a moving average of the weights, such as 0.999; 0 is off."), false, 0,
        0.9999999, [](const RunSpec& run) { return run.averageDecay; },
        [](RunSpec& run, double value) { run.averageDecay = value; });
    addNumber(
        form, tr("Early stop after"),
        tr("Evaluations without improvement that end the run; 0 is off."), true, 0, kLargestCount,
        [](const RunSpec& run) { return static_cast<double>(run.earlyStopPatience); },
        [](RunSpec& run, double value) { run.earlyStopPatience = static_cast<int64_t>(value); });
    addNumber(
        form, tr("Seed"), tr("The same seed gives the same curve."), true, 0, kLargestCount,
        [](const RunSpec& run) { return static_cast<double>(run.seed); },
        [](RunSpec& run, double value) { run.seed = static_cast<uint64_t>(value); });
    addPrecision(form);
    addNumber(
        form, tr("Activation memory"),
        tr("The share of the memory for activations that is to do, up to 1. What is missing is "
           "computed again: slower, and the same numbers."),
        false, kLeastMemoryShare, 1, [](const RunSpec& run) { return run.memoryShare; },
        [](RunSpec& run, double value) { run.memoryShare = value; });
    cardLayout(card)->addLayout(form);
    cardLayout(card)->addSpacing(em(this, 0.5));
    cardLayout(card)->addWidget(makeLabel(tr("Learning-rate schedule"), "heading", card));
    schedule_ = new ChoiceEditor(
        tr("Schedule"), scheduleChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.run.schedule; }, project_, card);
    cardLayout(card)->addWidget(schedule_);
    cardLayout(card)->addStretch(1);
    return card;
}

void ObjectivePanel::addPrecision(QFormLayout* form) {
    const QString help = tr("What products are computed in while training. Weights are float32.");
    auto* box = new QComboBox(this);
    box->addItem(tr("float32"), QString(precisionName(Precision::Float32)));
    box->addItem(tr("bfloat16"), QString(precisionName(Precision::BFloat16)));
    box->setObjectName(QStringLiteral("precision"));
    box->setMaximumWidth(em(this, 9));
    box->setAccessibleName(tr("Precision"));
    box->setAccessibleDescription(help);
    auto* caption = makeLabel(tr("Precision"), "", this);
    caption->setToolTip(help);
    caption->setBuddy(box);
    form->addRow(caption, box);
    connect(box, &QComboBox::activated, this, [this, box] {
        TrainingSpec spec = project_.spec();
        spec.run.precision = box->currentData().toString().toStdString();
        project_.edit(tr("Train in %1").arg(box->currentText()), spec);
    });
    fields_.push_back(
        [box](const RunSpec& run) { box->setCurrentIndex(box->findData(text(run.precision))); });
}

void ObjectivePanel::addNumber(QFormLayout* form, const QString& label, const QString& help,
                               bool integer, double minimum, double maximum,
                               std::function<double(const RunSpec&)> get,
                               std::function<void(RunSpec&, double)> set) {
    auto* field = new NumberEdit(integer ? NumberEdit::Kind::Integer : NumberEdit::Kind::Real,
                                 minimum, maximum, this);
    field->setMaximumWidth(em(this, 9));
    field->setAccessibleName(label);
    field->setAccessibleDescription(help);
    auto* caption = makeLabel(label, "", this);
    caption->setToolTip(help);
    caption->setBuddy(field);
    form->addRow(caption, field);
    const int mergeId = kMergeBase + static_cast<int>(fields_.size());
    connect(field, &NumberEdit::valueEdited, this,
            [this, label, set = std::move(set), mergeId](double value) {
                TrainingSpec spec = project_.spec();
                set(spec.run, value);
                project_.edit(tr("Change %1").arg(label), spec, mergeId);
            });
    fields_.push_back(
        [field, get = std::move(get)](const RunSpec& run) { field->setValue(get(run)); });
}

void ObjectivePanel::refresh() {
    for (ChoiceEditor* editor : {loss_, optimizer_, schedule_}) editor->refresh();
    for (const auto& show : fields_) show(project_.spec().run);
    const auto& inputs = project_.spec().artifacts.lossInputs;
    if (!inputs.empty()) prediction_->setCurrentText(text(inputs.front()));
}

void ObjectivePanel::refreshPrediction() {
    prediction_->clear();
    if (!project_.model()) return;
    for (const Value* output : project_.model()->graph->outputs())
        prediction_->addItem(text(output->name()));
}

void ObjectivePanel::showFindings() {
    const auto& preparation = project_.preparation();
    if (!preparation || project_.isPreparing()) return;
    if (!preparation->problem.isEmpty())
        return banner_->show(Banner::Kind::Bad, preparation->problem);
    for (const Finding& finding : preparation->plan.findings) {
        if (finding.severity != Severity::Error || isGradientError(finding)) continue;
        // below the sentence a formula may stand, marked for letters of one width
        const QString sentence = text(finding.message).section('\n', 0, 0);
        return banner_->show(Banner::Kind::Bad,
                             {tr("This can't be trained yet"), sentence, text(finding.hint)});
    }
    banner_->hide();
}

}  // namespace temper::ui
