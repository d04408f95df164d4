// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/copy_table.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QTableView>

#include "ui/theme/icons.h"
#include "ui/translation/tr.h"

namespace temper::ui {

QString tableText(const QAbstractItemModel& model) {
    const int columns = model.columnCount();
    QStringList lines, cells;
    for (int column = 0; column < columns; ++column)
        cells << model.headerData(column, Qt::Horizontal).toString();
    lines << cells.join('\t');
    for (int row = 0; row < model.rowCount(); ++row) {
        cells.clear();
        for (int column = 0; column < columns; ++column)
            cells << model.index(row, column).data().toString();
        lines << cells.join('\t');
    }
    return lines.join('\n') + '\n';
}

QAction* allowCopying(QTableView* table) {
    auto* copy = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy the table"), table);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, table,
                     [table] { QApplication::clipboard()->setText(tableText(*table->model())); });
    table->addAction(copy);
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
    return copy;
}

}  // namespace temper::ui
