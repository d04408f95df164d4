// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_compare_model.h"

#include <algorithm>
#include <numeric>

#include "ui/docks/runs/run_table_model.h"

namespace temper::ui {

RunCompareModel::RunCompareModel(const RunTableModel& runs, QObject* parent)
    : QAbstractTableModel(parent), runs_(runs) {}

void RunCompareModel::show(const std::vector<int>& chosen, const std::set<QString>& hidden,
                           bool differencesOnly) {
    beginResetModel();
    shown_ = chosen;
    if (shown_.size() < 2) {
        shown_.resize(static_cast<size_t>(runs_.rowCount()));
        std::iota(shown_.begin(), shown_.end(), 0);
    }
    std::ranges::sort(shown_);
    leftOut_ = std::max(0, static_cast<int>(shown_.size()) - kMaxRuns);
    shown_.resize(shown_.size() - static_cast<size_t>(leftOut_));
    values_.clear();
    name_ = -1;
    for (int column = 0; column < runs_.columnCount(); ++column) {
        const RunColumn& entry = runs_.column(column);
        if (entry.kind == RunColumn::Kind::Name) {
            name_ = column;
        } else if (!hidden.contains(entry.key) && (!differencesOnly || differs(column))) {
            values_.push_back(column);
        }
    }
    endResetModel();
}

bool RunCompareModel::differs(int column) const {
    if (shown_.size() < 2) return true;
    const auto textOf = [&](int row) {
        return runs_.data(runs_.index(row, column), Qt::DisplayRole).toString();
    };
    const QString first = textOf(shown_.front());
    return std::ranges::any_of(shown_, [&](int row) { return textOf(row) != first; });
}

int RunCompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(values_.size());
}

int RunCompareModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant RunCompareModel::cell(int row, int column, int role) const {
    return runs_.data(runs_.index(row, column), role);
}

QVariant RunCompareModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
    return cell(shown_[static_cast<size_t>(index.column())],
                values_[static_cast<size_t>(index.row())], role);
}

QVariant RunCompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (section < 0) return {};
    const auto at = static_cast<size_t>(section);
    if (orientation == Qt::Vertical)
        return at < values_.size() ? runs_.headerData(values_[at], Qt::Horizontal, role)
                                   : QVariant();
    if (at >= shown_.size() || name_ < 0) return {};
    return role == Qt::DisplayRole || role == Qt::ToolTipRole ? cell(shown_[at], name_, role)
                                                              : QVariant();
}

}  // namespace temper::ui
