// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/problems/problems_dock.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/commands/activity.h"
#include "ui/docks/problems/problem_model.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/messages/hint_text.h"
#include "ui/theme/theme.h"
#include "ui/translation/tr.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {

DockInfo problemsDock() {
    return {.id = "problems",
            .title = tr("Problems"),
            .icon = "warning",
            .area = Qt::BottomDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+M"),
            .create = createDock<ProblemsDock>,
            .term = "gradient-graph",
            .layouts = {LayoutPreset::Inspect}};
}

ProblemsDock::ProblemsDock(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      model_(new ProblemModel(this)),
      table_(makeTable(model_, this)),
      empty_(new Placeholder(QStringLiteral("check"), {}, tr("Open…"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    table_->setObjectName(QStringLiteral("problemTable"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setStretchLastSection(true);
    splitter->addWidget(table_);
    splitter->addWidget(buildDetails());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({3000, 2000});  // a table requests more than it needs
    list_ = splitter;
    layout->addWidget(list_, 1);
    layout->addWidget(empty_, 1);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ProblemsDock::showSelected);
    connect(table_, &QTableView::clicked, this,
            [this](const QModelIndex& index) { goTo(index.row()); });
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { goTo(index.row()); });
    connect(static_cast<Placeholder*>(empty_), &Placeholder::triggered, &context_.navigator,
            &Navigator::openRequested);
    for (const auto signal : {&StudioProject::modelChanged, &StudioProject::dataChanged,
                              &StudioProject::preparationChanged})
        connect(&context_.project, signal, this, &ProblemsDock::refresh);
    refresh();
}

QWidget* ProblemsDock::buildDetails() {
    QFrame* card = makeCard(this);
    title_ = makeLabel({}, "heading", card);
    text_ = makeLabel({}, "", card);
    text_->setObjectName(QStringLiteral("problemText"));
    for (QLabel* label : {title_, text_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    explain_ = new QPushButton(card);
    explain_->setObjectName(QStringLiteral("problemExplain"));
    connect(explain_, &QPushButton::clicked, this, [this] {
        emit context_.navigator.termRequested(table_->currentIndex().data(kExplainRole).toString());
    });
    auto* top = new QHBoxLayout;
    top->addWidget(title_, 1);
    top->addWidget(explain_, 0, Qt::AlignTop);
    cardLayout(card)->addLayout(top);
    // A long text scrolls, the buttons do not.
    auto* area = new QScrollArea(card);
    area->setWidgetResizable(true);
    text_->setProperty("scrolled", true);
    text_->setAlignment(Qt::AlignTop);
    area->setWidget(text_);
    cardLayout(card)->addWidget(area, 1);
    fixes_ = new QHBoxLayout;
    cardLayout(card)->addLayout(fixes_);
    return card;
}

void ProblemsDock::refresh() {
    const int row = table_->currentIndex().row();
    model_->setProblems(problemsOf(context_.project));
    const int count = model_->rowCount();
    setWindowTitle(count > 0 ? tr("Problems (%1)").arg(count) : QString());
    list_->setVisible(count > 0);
    empty_->setVisible(count == 0);
    auto* placeholder = static_cast<Placeholder*>(empty_);
    placeholder->setSentence(context_.project.model()
                                 ? tr("No problems: gradients reach everything that trains.")
                                 : tr("Open a model to see what keeps it from training."));
    placeholder->setButtonVisible(!context_.project.model());
    if (count > 0) table_->selectRow(std::clamp(row, 0, count - 1));
    showSelected();
}

void ProblemsDock::showSelected() {
    const int row = table_->currentIndex().row();
    if (row < 0 || row >= model_->rowCount()) return showFixes({});
    const Finding& finding = model_->problem(row).finding;
    explain_->setText(tr("What is %1?").arg(text(finding.code)));
    title_->setText(finding.node.empty()
                        ? text(finding.code)
                        : tr("%1 · %2").arg(text(finding.code), text(finding.node)));
    QString body = text(finding.message);
    if (!finding.hint.empty()) body += QStringLiteral("\n\n") + hintText(finding.hint);
    text_->setText(body);
    showFixes(fixesOf(finding, context_.project));
}

void ProblemsDock::showFixes(const std::vector<ProblemFix>& fixes) {
    while (QLayoutItem* item = fixes_->takeAt(0)) {
        if (item->widget() != nullptr) item->widget()->deleteLater();
        delete item;
    }
    for (const ProblemFix& fix : fixes) {
        auto* button = new QPushButton(fix.label, this);
        button->setObjectName(QStringLiteral("problemFix"));
        // The edit replaces the list, and with it this button.
        connect(button, &QPushButton::clicked, this, fix.apply, Qt::QueuedConnection);
        fixes_->addWidget(button);
    }
    fixes_->addStretch(1);
}

void ProblemsDock::goTo(int row) {
    if (row < 0 || row >= model_->rowCount()) return;
    const ListedProblem problem = model_->problem(row);
    emit Activity::of(context_.navigator)
        .acted(QStringLiteral("read ") + text(problem.finding.code));
    emit context_.navigator.pageRequested(problem.page);
    if (!problem.finding.node.empty())
        emit context_.navigator.nodeRequested(text(problem.finding.node));
}

}  // namespace temper::ui
