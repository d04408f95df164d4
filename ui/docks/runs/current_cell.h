// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <optional>

#include "ui/docks/runs/run_table_model.h"

namespace temper::ui {

/// The current cell of a table, known by its run and column: their places change with the content.
class CurrentCell {
public:
    CurrentCell(const QTableView& table, const RunTableModel& model) {
        const QModelIndex index = table.currentIndex();
        if (!index.isValid()) return;
        run_ = model.run(index.row()).id;
        column_ = model.column(index.column()).key;
    }

    /// Invalid if there is none, or if it is not shown any more.
    QModelIndex in(const RunTableModel& model) const {
        return run_ ? model.index(model.rowOf(*run_), model.columnOf(column_)) : QModelIndex();
    }

private:
    std::optional<int64_t> run_;
    QString column_;
};

}  // namespace temper::ui
