// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/choice_editor.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/explain/terms.h"
#include "ui/panels/objective/more_settings.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/fold.h"
#include "ui/widgets/hyper_form.h"
#include "ui/widgets/page.h"

namespace temper::ui {

ChoiceEditor::ChoiceEditor(const QString& what, const std::vector<Choice>& choices,
                           Accessor accessor, StudioProject& project, QWidget* parent)
    : QWidget(parent),
      what_(what),
      choices_(choices),
      accessor_(std::move(accessor)),
      project_(project),
      content_(new QWidget(this)),
      box_(new QComboBox(this)),
      help_(makeLabel({}, "muted", this)),
      form_(new HyperForm) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(content_);
    auto* layout = new QVBoxLayout(content_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.4));
    for (const Choice& choice : choices) box_->addItem(engineText(choice.label), text(choice.key));
    box_->setAccessibleName(what);
    help_->setWordWrap(true);
    auto* content = new QWidget;
    auto* settings = new QVBoxLayout(content);
    settings->setContentsMargins(0, 0, 0, 0);
    settings->setSpacing(em(this, 0.4));
    settings->addWidget(form_);
    more_ = new MoreSettings(what, content, this);
    layout->addWidget(box_);
    layout->addWidget(help_);
    layout->addWidget(more_);
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
    content_->layout()->addWidget(text_);
    connect(text_, &QLineEdit::editingFinished, this, [this] {
        TrainingSpec spec = project_.spec();
        const std::string written = text_->text().trimmed().toStdString();
        if (text_->isHidden() || written == accessor_(spec).key) return;
        accessor_(spec) = {written, {}};
        project_.edit(tr("Change %1").arg(what_), spec);
    });
}

void ChoiceEditor::setKind(const QString& kind) {
    kind_ = kind;
    explain(this, kind);
    more_->button()->setObjectName(QStringLiteral("more-") + kind);
}

void ChoiceEditor::fold() {
    layout()->removeWidget(content_);
    fold_ = new Fold({}, content_, this);
    fold_->button()->setObjectName(QStringLiteral("choice-") + kind_);
    fold_->button()->setAccessibleName(what_);
    layout()->addWidget(fold_);
}

void ChoiceEditor::addMore(QWidget* settings, std::function<int()> changed) {
    form_->parentWidget()->layout()->addWidget(settings);
    changedBelow_ = std::move(changed);
}

/// Another choice has settings of its own. The initial text is a call of the previous choice.
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
    more_->setOpen(true);
}

void ChoiceEditor::showText(const QString& written) {
    box_->setCurrentIndex(box_->count() - 1);
    help_->setText(textHelp_);
    more_->hide();
    if (text_->text() != written) text_->setText(written);
    text_->show();
}

void ChoiceEditor::refresh() {
    TrainingSpec spec = project_.spec();
    const Selection& selection = accessor_(spec);
    const Choice* choice = findChoice(choices_, selection.key);
    if (fold_ != nullptr)
        fold_->setTitle(tr("%1: %2").arg(
            what_, choice == nullptr ? text(selection.key) : engineText(choice->label)));
    if (!kind_.isEmpty())
        explain(this, choice == nullptr ? kind_ : termOfChoice(kind_, text(choice->key)));
    if (choice == nullptr && text_ != nullptr) return showText(text(selection.key));
    if (text_ != nullptr) text_->hide();
    if (choice == nullptr) {
        box_->setCurrentIndex(-1);
        return help_->setText(tr("\"%1\" can't be changed here.").arg(text(selection.key)));
    }
    box_->setCurrentIndex(box_->findData(text(selection.key)));
    help_->setText(engineText(choice->help));
    showMore(*choice, selection);
}

void ChoiceEditor::showMore(const Choice& choice, const Selection& selection) {
    form_->show(choice, selection);
    form_->setVisible(!choice.hyperParameters.empty());
    more_->setVisible(!choice.hyperParameters.empty() || changedBelow_ != nullptr);
    TrainingSpec usual = usualChoices(project_);
    const int changed = changedHyperParameters(choice, selection, accessor_(usual)) +
                        (changedBelow_ ? changedBelow_() : 0);
    more_->showChanged(changed, project_.generation());
    if (fold_ != nullptr) fold_->openIfNeeded(changed > 0, project_.generation());
}

}  // namespace temper::ui
