// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QAbstractItemModel;
class QAction;
class QTableView;

namespace temper::ui {

/// The model's cells as text, one line per row below the headings, separated by tabs, for pasting
/// into spreadsheets.
QString tableText(const QAbstractItemModel& model);

/// Lets Ctrl+C and the context menu of a table copy all of it. Returns: the action.
QAction* allowCopying(QTableView* table);

}  // namespace temper::ui
