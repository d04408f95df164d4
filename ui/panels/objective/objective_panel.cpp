// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/objective_panel.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/optimizers.h"
#include "ui/checks/problem_list.h"
#include "ui/checks/start_obstacle.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/messages/hint_text.h"
#include "ui/panels/objective/choice_editor.h"
#include "ui/panels/objective/class_weights.h"
#include "ui/panels/objective/fine_tune_command.h"
#include "ui/panels/objective/groups_editor.h"
#include "ui/panels/objective/loss_input.h"
#include "ui/panels/objective/loss_terms_editor.h"
#include "ui/panels/objective/more_settings.h"
#include "ui/panels/objective/rehearsal_card.h"
#include "ui/panels/objective/run_form.h"
#include "ui/panels/objective/schedule_preview.h"
#include "ui/panels/objective/soundness_card.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/fold.h"
#include "ui/widgets/hyper_form.h"
#include "ui/widgets/name_elision.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Minimum width of the page for two columns of cards, in line heights.
constexpr double kTwoColumns = 56;
/// Width of the name of a tensor in a line, in line heights.
constexpr double kShownName = 14;

bool isOneTensor(const std::vector<Value*>& outputs) {
    return outputs.size() == 1 && outputs.front()->type().isTensor();
}

}  // namespace

ObjectivePanel::ObjectivePanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent), project_(context.project), banner_(new Banner(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    QHBoxLayout* header =
        makePageHeader(tr("Objective"),
                       tr("What training minimizes, how it takes its steps, and how many."), this);
    auto* fineTune = new FineTuneCommand(context, this);
    header->addWidget(new ActionButton(fineTune->action(), false, this));
    layout->addLayout(header);
    layout->addWidget(banner_);
    auto* content = new QWidget;
    content->setProperty("scrolled", true);
    grid_ = new QGridLayout(content);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(em(this, 0.8));
    left_ = {buildLoss(), buildOptimizer(),
             explain(new RehearsalCard(project_, content), "learning-rate"),
             explain(new SoundnessCard(project_, content), "gradient")};
    right_ = buildRun();
    scroll_ = new QScrollArea(this);
    scroll_->setAccessibleName(tr("Training objective and settings"));
    scroll_->setWidgetResizable(true);
    scroll_->setWidget(content);
    layout->addWidget(scroll_, 1);
    arrange();
    connect(&project_, &StudioProject::modelChanged, this, &ObjectivePanel::refreshPrediction);
    connect(&project_, &StudioProject::specChanged, this, &ObjectivePanel::refresh);
    connect(&project_, &StudioProject::dataChanged, preview_, &SchedulePreview::refresh);
    connect(&project_, &StudioProject::preparationChanged, preview_, &SchedulePreview::refresh);
    connect(&project_, &StudioProject::preparationChanged, this, &ObjectivePanel::showRead);
    connect(&project_, &StudioProject::preparationChanged, this, &ObjectivePanel::showFindings);
}

/// Depends only on the width, as the contents of the cards change with the model and the choices.
void ObjectivePanel::arrange() {
    const int columns = scroll_->width() < em(this, kTwoColumns) ? 1 : 2;
    if (columns == std::exchange(columns_, columns)) return;
    const auto rows = static_cast<int>(left_.size());
    for (int row = 0; row < rows; ++row) grid_->addWidget(left_[static_cast<size_t>(row)], row, 0);
    if (columns == 2)
        grid_->addWidget(right_, 0, 1, rows, 1);
    else
        grid_->addWidget(right_, rows, 0);
    grid_->setColumnStretch(0, 1);
    grid_->setColumnStretch(1, columns - 1);
    grid_->setRowStretch(rows - 1, columns - 1);
    grid_->setRowStretch(rows, 2 - columns);
}

void ObjectivePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void ObjectivePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) arrange();
}

QWidget* ObjectivePanel::buildLoss() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("Loss"), "heading", card));
    loss_ = new ChoiceEditor(
        tr("Loss"), lossChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.artifacts.loss; }, project_, card);
    loss_->setKind(QStringLiteral("loss"));
    loss_->allowText(tr("Formula"), tr("Weighted sum of losses of outputs and targets: "
                                       "0.4*mse(out1, target1) + 0.6*l1(out2, target2)"));
    cardLayout(card)->addWidget(loss_);
    weights_ = new ClassWeights(project_, card);
    cardLayout(card)->addWidget(weights_);
    terms_ = new LossTermsEditor(project_, card);
    cardLayout(card)->addWidget(terms_);
    cardLayout(card)->addWidget(buildTensor(card));
    cardLayout(card)->addStretch(1);
    return card;
}

QWidget* ObjectivePanel::buildTensor(QWidget* card) {
    prediction_ = new LossInput(card);
    prediction_->setObjectName(QStringLiteral("prediction"));
    prediction_->setAccessibleName(tr("Tensor that the loss reads"));
    connect(prediction_, &LossInput::tensorChosen, this,
            [this](const QString& name) { letLossRead(project_, name.toStdString()); });
    tensor_ = explain(new Fold(tr("Reads tensor"), prediction_, card), "logits");
    tensor_->button()->setObjectName(QStringLiteral("choice-tensor"));
    return tensor_;
}

QWidget* ObjectivePanel::buildOptimizer() {
    QFrame* card = makeCard(this);
    optimizer_ = new ChoiceEditor(
        tr("Optimizer"), optimizerChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.artifacts.optimizer; }, project_, card);
    optimizer_->setKind(QStringLiteral("optimizer"));
    optimizer_->fold();
    cardLayout(card)->addWidget(optimizer_);
    groups_ = explain(new GroupsEditor(project_, card), "group");
    optimizer_->addMore(groups_, [this] {
        const ArtifactSpec& now = project_.spec().artifacts;
        const bool usual = usualChoices(project_).artifacts.decayBiasesAndNorms;
        return static_cast<int>(now.parameterGroups.size()) +
               (now.decayBiasesAndNorms == usual ? 0 : 1);
    });
    cardLayout(card)->addStretch(1);
    return card;
}

QWidget* ObjectivePanel::buildRun() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("Run"), "heading", card));
    run_ = explain(new RunForm(project_, card), "run");
    cardLayout(card)->addWidget(run_);
    cardLayout(card)->addSpacing(em(this, 0.5));
    schedule_ = new ChoiceEditor(
        tr("Schedule"), scheduleChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.run.schedule; }, project_, card);
    schedule_->setKind(QStringLiteral("schedule"));
    schedule_->fold();
    cardLayout(card)->addWidget(schedule_);
    preview_ = explain(new SchedulePreview(project_, card), "schedule");
    cardLayout(card)->addWidget(preview_);
    cardLayout(card)->addStretch(1);
    return card;
}

void ObjectivePanel::refresh() {
    for (ChoiceEditor* editor : {loss_, optimizer_, schedule_}) editor->refresh();
    // A formula names its inputs.
    tensor_->setVisible(findChoice(lossChoices(), project_.spec().artifacts.loss.key) != nullptr);
    weights_->refresh();
    terms_->refresh();
    groups_->refresh();
    run_->refresh();
    preview_->refresh();
    showRead();
}

/// The chosen input of the loss, else the one found automatically; empty if there is none.
QString ObjectivePanel::tensorRead() const {
    const auto& chosen = project_.spec().artifacts.lossInputs;
    if (!chosen.empty()) return text(chosen.front());
    const auto& preparation = project_.preparation();
    if (!preparation) return {};
    const auto& found = preparation->plan.loss.reads.predictions;
    return found.size() == 1 ? text(found.front()) : QString();
}

/// The field is open if there is a choice: of several outputs, of a tensor if the output is none,
/// or one that was made.
void ObjectivePanel::showRead() {
    const QString name = tensorRead();
    prediction_->setRead(name);
    const QString shown =
        tensor_->button()->fontMetrics().elidedText(name, elideModeOf(name), em(this, kShownName));
    tensor_->setTitle(name.isEmpty() ? tr("Reads tensor") : tr("Reads tensor: %1").arg(shown));
    const bool hasChoice = project_.model() && !isOneTensor(project_.model()->graph->outputs());
    tensor_->openIfNeeded(hasChoice || !project_.spec().artifacts.lossInputs.empty(),
                          project_.generation());
}

void ObjectivePanel::refreshPrediction() {
    if (!project_.model()) return prediction_->clearGraph();
    prediction_->setGraph(*project_.model()->graph);
    showRead();
}

void ObjectivePanel::showFindings() {
    const auto& preparation = project_.preparation();
    if (!preparation || project_.isPreparing()) return;
    if (!preparation->problem.isEmpty())
        return banner_->show(Banner::Kind::Bad, preparation->problem);
    for (const Finding& finding : preparation->plan.findings) {
        if (finding.severity != Severity::Error || isGradientError(finding)) continue;
        // below the sentence may be a formula, marked for a fixed-width font
        const QString sentence = text(finding.message).section('\n', 0, 0);
        return banner_->show(Banner::Kind::Bad,
                             {tr("This can't be trained yet"), sentence, hintText(finding.hint)},
                             buttonsFor(finding));
    }
    showWarnings();
}

std::vector<BannerAction> ObjectivePanel::buttonsFor(const Finding& finding) {
    std::vector<BannerAction> buttons;
    for (const ProblemFix& fix : fixesOf(finding, project_))
        buttons.push_back({QStringLiteral("objectiveFix"), fix.label, fix.apply});
    return buttons;
}

void ObjectivePanel::showWarnings() {
    for (const Finding& finding : project_.preparation()->plan.findings) {
        if (!isAboutLossInput(finding)) continue;
        return banner_->show(
            Banner::Kind::Attention,
            {tr("This will train badly"), text(finding.message), hintText(finding.hint)},
            buttonsFor(finding));
    }
    banner_->hide();
}

StageStatus ObjectivePanel::status(const StageContext& context) {
    if (!context.project.model()) return openModelFirst();
    if (hasObjectiveProblem(context.project))
        return {StageState::Attention, tr("Loss does not fit")};
    for (const Choice& choice : lossChoices())
        if (choice.key == context.project.spec().artifacts.loss.key)
            return {StageState::Done, engineText(choice.label)};
    return {StageState::Done, tr("Formula")};
}

}  // namespace temper::ui
