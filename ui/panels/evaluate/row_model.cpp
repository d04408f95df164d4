// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/row_model.h"

#include <QLocale>
#include <cmath>

#include "ui/translation/number_text.h"

namespace temper::ui {

RowModel::RowModel(QObject* parent) : QAbstractTableModel(parent) {}

void RowModel::setRow(QStringList names, std::vector<double> values) {
    beginResetModel();
    names_ = std::move(names);
    values_ = std::move(values);
    influence_.clear();
    endResetModel();
}

void RowModel::setInfluence(std::vector<double> influence) {
    influence_ = std::move(influence);
    if (!values_.empty()) emit dataChanged(index(0, Influence), index(rowCount() - 1, Influence));
}

int RowModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(values_.size());
}

int RowModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant RowModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole && index.column() != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    const auto row = static_cast<size_t>(index.row());
    switch (index.column()) {
        case Name: return names_.value(index.row());
        case Value: return fieldText(values_[row]);
        case Influence:
            return row < influence_.size() ? decimalText(influence_[row], 'g', 3) : QString();
        default: return {};
    }
}

bool RowModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || index.column() != Value || role != Qt::EditRole) return false;
    const std::optional<double> number = typedNumber(value.toString());
    if (!number || !std::isfinite(*number)) return false;
    values_[static_cast<size_t>(index.row())] = *number;
    emit dataChanged(index, index);
    emit edited();
    return true;
}

Qt::ItemFlags RowModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Value ? flags | Qt::ItemIsEditable : flags;
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) return {};
    if (role == Qt::TextAlignmentRole && section != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Column");
        case Value: return tr("Value");
        case Influence: return tr("Influence");
        default: return {};
    }
}

}  // namespace temper::ui
