// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {

namespace {

/// Number of rows that determine the column widths.
constexpr int kMeasuredRows = 50;

/// As wide as their contents. A last section that is stretched takes the rest, but no less.
void fitColumns(QTableView* table) {
    const QAbstractItemView* view = table;  // for which the hint is public
    const QHeaderView* header = table->horizontalHeader();
    const int columns = table->model()->columnCount();
    for (int column = 0; column < columns; ++column) {
        const bool isStretched = column == columns - 1 && header->stretchLastSection();
        const int apart = isStretched ? 0 : em(table, 1.4);
        const int content =
            std::max(view->sizeHintForColumn(column), header->sectionSizeHint(column));
        table->setColumnWidth(column, std::min(content + apart, em(table, 26)));
    }
}

}  // namespace

QLabel* makeLabel(const QString& text, const char* role, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("role", role);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QVBoxLayout* makeCardLayout(QFrame* frame) {
    frame->setProperty("card", true);
    auto* layout = new QVBoxLayout(frame);
    const int margin = em(frame, 0.8);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(em(frame, 0.45));
    return layout;
}

QFrame* makeCard(QWidget* parent) {
    auto* card = new QFrame(parent);
    makeCardLayout(card);
    return card;
}

QVBoxLayout* cardLayout(QFrame* card) { return static_cast<QVBoxLayout*>(card->layout()); }

QHBoxLayout* makePageHeader(const QString& title, const QString& subtitle, QWidget* parent) {
    auto* row = new QHBoxLayout;
    auto* column = new QVBoxLayout;
    column->setSpacing(em(parent, 0.1));
    column->addWidget(makeLabel(title, "title", parent));
    auto* caption = makeLabel(subtitle, "muted", parent);
    caption->setWordWrap(true);
    column->addWidget(caption);
    row->addLayout(column, 1);
    return row;
}

QPushButton* makePrimaryButton(const QString& text, const QString& icon, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setProperty("primary", true);
    if (!icon.isEmpty()) button->setIcon(accentIcon(icon));
    return button;
}

QTableView* makeTable(QAbstractItemModel* model, QWidget* parent, bool sortable) {
    auto* table = new QTableView(parent);
    if (sortable) {
        auto* proxy = new QSortFilterProxyModel(table);
        proxy->setSourceModel(model);
        proxy->setSortRole(Qt::UserRole);
        table->setModel(proxy);
        table->setSortingEnabled(true);
        table->horizontalHeader()->setSortIndicatorClearable(true);
        table->sortByColumn(-1, Qt::AscendingOrder);
    } else {
        table->setModel(model);
    }
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(em(table, 1.75));
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->setWordWrap(false);
    table->setItemDelegate(new ElidingDelegate(table));
    table->setTextElideMode(Qt::ElideMiddle);  // of columns with a delegate of their own
    table->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);
    // Adapts the widths whenever the content is replaced.
    table->horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
    QObject::connect(table->model(), &QAbstractItemModel::modelReset, table,
                     [table] { fitColumns(table); });
    return table;
}

QTabWidget* makeTabs(QWidget* parent) {
    auto* tabs = new QTabWidget(parent);
    tabs->setDocumentMode(true);
    tabs->tabBar()->setDrawBase(false);
    // No text is cut: with too little room, the tabs scroll.
    tabs->tabBar()->setUsesScrollButtons(true);
    tabs->tabBar()->setElideMode(Qt::ElideNone);
    return tabs;
}

QVBoxLayout* makePageLayout(QWidget* page) {
    auto* layout = new QVBoxLayout(page);
    const int margin = em(page, 1.1);
    layout->setContentsMargins(margin, em(page, 0.8), margin, em(page, 0.8));
    layout->setSpacing(em(page, 0.7));
    return layout;
}

}  // namespace temper::ui
