// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/health_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/data/data_health.h"
#include "ui/checks/problem_list.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/panels/data/class_bars.h"
#include "ui/panels/data/health_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {

HealthView::HealthView(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      model_(new HealthModel(this)),
      table_(makeTable(model_, this)),
      fixes_(new QWidget(this)),
      good_(new Placeholder(QStringLiteral("check"), tr("No problems found in the samples."), {},
                            this)),
      bars_(new ClassBars) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, em(this, 0.6), 0, 0);
    row->setSpacing(em(this, 1));
    auto* column = new QVBoxLayout;
    table_->setAccessibleName(tr("Findings about the data"));
    table_->setObjectName(QStringLiteral("healthTable"));
    table_->setWordWrap(true);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setSectionResizeMode(HealthModel::What, QHeaderView::Stretch);
    table_->horizontalHeader()->setSectionResizeMode(HealthModel::Advice, QHeaderView::Stretch);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    column->addWidget(table_, 1);
    column->addWidget(good_, 1);
    column->addWidget(fixes_);
    new QHBoxLayout(fixes_);
    fixes_->layout()->setContentsMargins(0, 0, 0, 0);
    row->addLayout(column, 3);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    bars_->setProperty("scrolled", true);
    area->setWidget(bars_);
    area->setAccessibleName(tr("Samples per class"));
    explain(area, "class");
    row->addWidget(area, 2);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &HealthView::refreshButtons);
}

void HealthView::refresh() {
    std::vector<Finding> findings;
    const auto& loaded = context_.project.data();
    if (loaded) findings = loaded->findings;
    const auto& preparation = context_.project.preparation();
    if (loaded && preparation && preparation->data == loaded)
        findings.insert(findings.end(), preparation->proposal.findings.begin(),
                        preparation->proposal.findings.end());
    table_->setVisible(!findings.empty());
    good_->setVisible(findings.empty() && loaded != nullptr);
    model_->setFindings(std::move(findings));
    if (model_->rowCount() > 0) table_->selectRow(0);
    refreshButtons();
    refreshBars();
}

int HealthView::problemCount() const {
    int count = 0;
    for (int row = 0; row < model_->rowCount(); ++row)
        count += model_->finding(row).severity != Severity::Info ? 1 : 0;
    return count;
}

void HealthView::refreshButtons() {
    auto* row = static_cast<QHBoxLayout*>(fixes_->layout());
    while (QLayoutItem* item = row->takeAt(0)) {
        // Deleted later: one of them may be the sender of the change.
        if (item->widget() != nullptr) item->widget()->deleteLater();
        delete item;
    }
    const QModelIndex current = table_->currentIndex();
    if (current.isValid() && current.row() < model_->rowCount())
        for (const ProblemFix& fix : fixesOf(model_->finding(current.row()), context_.project)) {
            auto* button = new QPushButton(fix.label, fixes_);
            button->setObjectName(QStringLiteral("dataFix"));
            connect(button, &QPushButton::clicked, this, fix.apply);
            row->addWidget(button);
        }
    row->addStretch(1);
    fixes_->setVisible(row->count() > 1);
}

void HealthView::refreshBars() {
    std::vector<ClassBars::Bar> bars;
    const auto& loaded = context_.project.data();
    for (size_t i = 0; loaded && i < loaded->training()->columns().size(); ++i) {
        const Column& column = loaded->training()->columns()[i];
        if (!column.isTarget || column.classes.empty() || !bars.empty()) continue;
        const auto training = countClasses(*loaded->training(), i);
        std::vector<int64_t> evaluation(training.size(), 0);
        if (loaded->evaluation())
            evaluation =
                countClasses(*loaded->evaluation(), loaded->evaluation()->columnIndex(column.name));
        for (size_t c = 0; c < training.size(); ++c)
            bars.push_back({text(column.classes[c]), training[c], evaluation[c]});
    }
    bars_->setBars(std::move(bars));
}

}  // namespace temper::ui
