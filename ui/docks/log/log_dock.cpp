// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/log/log_dock.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/docks/log/log_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/tr.h"
#include "ui/widgets/page.h"

namespace temper::ui {

DockInfo logDock() {
    return {.id = "log",
            .title = tr("Log"),
            .icon = "table",
            .area = Qt::BottomDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+L"),
            .create = createDock<LogDock>,
            .term = "run",
            .layouts = {LayoutPreset::Train}};
}

LogDock::LogDock(const PanelContext& context, QWidget* parent) : QWidget(parent) {
    LogModel* log = &context.log;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    auto* filter = new QLineEdit(this);
    filter->setPlaceholderText(tr("Search the log"));
    filter->setAccessibleName(tr("Search the log"));
    filter->setClearButtonEnabled(true);
    auto* copy = new QPushButton(tr("Copy all"), this);
    auto* clear = new QPushButton(tr("Clear"), this);
    row->addWidget(filter, 1);
    row->addWidget(copy);
    row->addWidget(clear);
    layout->addLayout(row);
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(log);
    proxy->setFilterKeyColumn(LogModel::Text);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    QTableView* table = makeTable(proxy, this);
    table->setObjectName(QStringLiteral("logTable"));
    table->horizontalHeader()->setStretchLastSection(true);
    table->setColumnWidth(LogModel::Time, em(this, 5));
    layout->addWidget(table, 1);
    connect(filter, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(clear, &QPushButton::clicked, log, &LogModel::clear);
    connect(copy, &QPushButton::clicked, this,
            [log] { QGuiApplication::clipboard()->setText(log->plainText()); });
    connect(log, &QAbstractItemModel::rowsInserted, table, [table] {
        const QScrollBar* bar = table->verticalScrollBar();
        if (bar->value() == bar->maximum()) table->scrollToBottom();
    });
}

}  // namespace temper::ui
