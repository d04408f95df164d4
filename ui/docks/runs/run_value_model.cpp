// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_value_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "ui/translation/number_text.h"

namespace temper::ui {

void RunValueModel::setValues(std::vector<RunValue> values, bool isSmoothed, bool higherIsBetter) {
    std::ranges::stable_sort(values, [&](const RunValue& a, const RunValue& b) {
        const double x = isSmoothed ? a.smoothed : a.value;
        const double y = isSmoothed ? b.smoothed : b.value;
        if (!std::isfinite(x) || !std::isfinite(y)) return std::isfinite(x) && !std::isfinite(y);
        return higherIsBetter ? x > y : x < y;
    });
    const bool sameRows = values.size() == values_.size();
    if (!sameRows) beginResetModel();
    values_ = std::move(values);
    if (!sameRows) return endResetModel();
    if (!values_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int RunValueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(values_.size());
}

int RunValueModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant RunValueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RunValue& value = values_[static_cast<size_t>(index.row())];
    if (role == Qt::DecorationRole && index.column() == Run) return value.sign;
    if (role == Qt::TextAlignmentRole && index.column() != Run)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == Run) return value.run;
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Run: return value.run;
        case Value: return decimalText(value.value, 'g', 5);
        case Smoothed: return decimalText(value.smoothed, 'g', 5);
        case Step: return QLocale().toString(static_cast<qlonglong>(std::llround(value.step)));
        default: return {};
    }
}

QVariant RunValueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Run: return tr("Run");
        case Value: return tr("Value");
        case Smoothed: return tr("Smoothed");
        case Step: return tr("Step");
        default: return {};
    }
}

}  // namespace temper::ui
