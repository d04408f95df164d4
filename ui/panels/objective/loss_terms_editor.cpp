// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/loss_terms_editor.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/training/loss/loss_function.h"
#include "ui/document/studio_project.h"
#include "ui/panels/objective/loss_terms_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/combo_delegate.h"
#include "ui/widgets/hyper_form.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Keys as in formulas, with labels; only losses that read one output.
std::vector<ComboDelegate::Item> lossItems() {
    std::vector<ComboDelegate::Item> items;
    for (const LossFunction& function : lossFunctions()) {
        if (function.predictions != 1) continue;
        items.push_back(
            {text(function.choice.key).replace('-', '_'), engineText(function.choice.label)});
    }
    return items;
}

/// The terms of a selection: those of a formula, or the one of a built-in loss.
std::optional<std::vector<WeightedLoss>> termsOf(const Selection& loss) {
    try {
        return asWeightedLosses(parseLoss(loss.key));
    } catch (const Error&) {
        return std::nullopt;  // the formula's own field shows the error
    }
}

}  // namespace

LossTermsEditor::LossTermsEditor(StudioProject& project, QWidget* parent)
    : QWidget(parent),
      project_(project),
      model_(new LossTermsModel(this)),
      table_(makeTable(model_, this)),
      outputDelegate_(new ComboDelegate({}, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.4));
    layout->addWidget(buildButtons());
    layout->addWidget(table_);
    table_->setObjectName(QStringLiteral("lossTerms"));
    table_->setAccessibleName(tr("Terms of the loss"));
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    table_->setItemDelegateForColumn(LossTermsModel::Loss, new ComboDelegate(lossItems(), this));
    table_->setItemDelegateForColumn(LossTermsModel::Output, outputDelegate_);
    table_->horizontalHeader()->setSectionResizeMode(LossTermsModel::Output, QHeaderView::Stretch);
    table_->setFixedHeight(em(this, 8));
    connect(model_, &LossTermsModel::termsEdited, this,
            [this](const std::vector<WeightedLoss>& terms) {
                edit(tr("Change a term of the loss"), terms);
            });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                remove_->setEnabled(current.isValid() && model_->rowCount() > 1);
            });
}

QWidget* LossTermsEditor::buildButtons() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(makeLabel(tr("Weighted sum of terms"), "muted", bar), 1);
    auto* add = new QPushButton(tr("Add"), bar);
    add->setObjectName(QStringLiteral("addLossTerm"));
    add->setAccessibleName(tr("Add a term"));
    remove_ = new QPushButton(tr("Remove"), bar);
    remove_->setAccessibleName(tr("Remove the term"));
    remove_->setEnabled(false);
    connect(add, &QPushButton::clicked, this, &LossTermsEditor::add);
    connect(remove_, &QPushButton::clicked, this, &LossTermsEditor::remove);
    row->addWidget(add);
    row->addWidget(remove_);
    return bar;
}

void LossTermsEditor::refresh() {
    const Selection& loss = project_.spec().artifacts.loss;
    const bool isFormula = findChoice(lossChoices(), loss.key) == nullptr;
    const auto terms = isFormula ? termsOf(loss) : std::nullopt;
    setVisible(terms.has_value());
    if (!terms) return;
    std::vector<ComboDelegate::Item> items;
    for (const QString& name : outputs()) items.push_back({name, name});
    outputDelegate_->setItems(std::move(items));
    model_->setTerms(*terms);
    remove_->setEnabled(table_->currentIndex().isValid() && model_->rowCount() > 1);
}

QStringList LossTermsEditor::outputs() const {
    QStringList names;
    if (!project_.model()) return names;
    for (const Value* output : project_.model()->graph->outputs())
        if (output->type().isTensor()) names << text(output->name());
    return names;
}

void LossTermsEditor::edit(const QString& what, const std::vector<WeightedLoss>& terms) {
    TrainingSpec spec = project_.spec();
    spec.artifacts.loss = {formulaOf(terms), {}};
    project_.edit(what, spec);
}

/// The next output that no term reads, with a target named after it.
void LossTermsEditor::add() {
    auto terms = model_->terms();
    const QStringList names = outputs();
    QString next = names.isEmpty() ? QStringLiteral("output") : names.back();
    for (const QString& name : names) {
        if (std::ranges::find(terms, name.toStdString(), &WeightedLoss::output) != terms.end())
            continue;
        next = name;
        break;
    }
    const std::string loss = terms.empty() ? "mse" : terms.back().loss;
    terms.push_back({1, loss, next.toStdString(), "target" + std::to_string(terms.size() + 1)});
    edit(tr("Add a term of the loss"), terms);
}

void LossTermsEditor::remove() {
    const int row = table_->currentIndex().row();
    auto terms = model_->terms();
    if (row < 0 || terms.size() < 2) return;
    terms.erase(terms.begin() + row);
    edit(tr("Remove a term of the loss"), terms);
}

}  // namespace temper::ui
