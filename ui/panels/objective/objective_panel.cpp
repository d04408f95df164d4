// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/objective_panel.h"

#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/explain/explain.h"
#include "ui/panels/objective/choice_editor.h"
#include "ui/panels/objective/class_weights.h"
#include "ui/panels/objective/groups_editor.h"
#include "ui/panels/objective/loss_terms_editor.h"
#include "ui/panels/objective/rehearsal_card.h"
#include "ui/panels/objective/run_form.h"
#include "ui/panels/objective/schedule_preview.h"
#include "ui/project/stages.h"
#include "ui/project/studio_project.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/hyper_form.h"
#include "ui/widgets/page.h"

namespace temper::ui {
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
    grid->addWidget(explain(new RehearsalCard(project_, content), "learning-rate"), 2, 0);
    grid->addWidget(buildRun(), 0, 1, 3, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(2, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(tr("What is trained for, and how"));
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    layout->addWidget(scroll, 1);
    connect(&project_, &StudioProject::modelChanged, this, &ObjectivePanel::refreshPrediction);
    connect(&project_, &StudioProject::specChanged, this, &ObjectivePanel::refresh);
    connect(&project_, &StudioProject::dataChanged, preview_, &SchedulePreview::refresh);
    connect(&project_, &StudioProject::preparationChanged, this, &ObjectivePanel::showFindings);
}

QWidget* ObjectivePanel::buildLoss() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("Loss"), "heading", card));
    loss_ = new ChoiceEditor(
        tr("Loss"), lossChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.artifacts.loss; }, project_, card);
    loss_->setKind(QStringLiteral("loss"));
    loss_->allowText(tr("Formula"), tr("Losses of outputs and targets, weighed and added: "
                                       "0.4*mse(out1, target1) + 0.6*l1(out2, target2)"));
    cardLayout(card)->addWidget(loss_);
    weights_ = new ClassWeights(project_, card);
    cardLayout(card)->addWidget(weights_);
    terms_ = new LossTermsEditor(project_, card);
    cardLayout(card)->addWidget(terms_);
    auto* form = new QFormLayout;
    prediction_ = explain(new QComboBox(card), "logits");
    prediction_->setObjectName(QStringLiteral("prediction"));
    prediction_->setAccessibleName(tr("Output that the loss reads"));
    connect(prediction_, &QComboBox::activated, this, [this] {
        TrainingSpec spec = project_.spec();
        spec.artifacts.lossInputs = {prediction_->currentText().toStdString()};
        project_.edit(tr("Loss reads %1").arg(prediction_->currentText()), spec);
    });
    readsOutput_ = makeLabel(tr("Reads output"), "", card);
    readsOutput_->setBuddy(prediction_);
    form->addRow(readsOutput_, prediction_);
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
    optimizer_->setKind(QStringLiteral("optimizer"));
    cardLayout(card)->addWidget(optimizer_);
    groups_ = explain(new GroupsEditor(project_, card), "group");
    cardLayout(card)->addWidget(groups_);
    cardLayout(card)->addStretch(1);
    return card;
}

QWidget* ObjectivePanel::buildRun() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("Run"), "heading", card));
    run_ = explain(new RunForm(project_, card), "run");
    cardLayout(card)->addWidget(run_);
    cardLayout(card)->addSpacing(em(this, 0.5));
    cardLayout(card)->addWidget(makeLabel(tr("Learning-rate schedule"), "heading", card));
    schedule_ = new ChoiceEditor(
        tr("Schedule"), scheduleChoices(),
        [](TrainingSpec& spec) -> Selection& { return spec.run.schedule; }, project_, card);
    schedule_->setKind(QStringLiteral("schedule"));
    cardLayout(card)->addWidget(schedule_);
    preview_ = explain(new SchedulePreview(project_, card), "schedule");
    cardLayout(card)->addWidget(preview_);
    cardLayout(card)->addStretch(1);
    return card;
}

void ObjectivePanel::refresh() {
    for (ChoiceEditor* editor : {loss_, optimizer_, schedule_}) editor->refresh();
    // A formula names what it reads.
    const bool isBuiltIn = findChoice(lossChoices(), project_.spec().artifacts.loss.key) != nullptr;
    readsOutput_->setVisible(isBuiltIn);
    prediction_->setVisible(isBuiltIn);
    weights_->refresh();
    terms_->refresh();
    groups_->refresh();
    run_->refresh();
    preview_->refresh();
    const auto& inputs = project_.spec().artifacts.lossInputs;
    if (inputs.empty()) return;
    const QString read = text(inputs.front());
    // The loss may read a value inside the model, e.g. what comes before its softmax.
    if (prediction_->findText(read) < 0) prediction_->addItem(read);
    prediction_->setCurrentText(read);
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
