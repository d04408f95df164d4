// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/value_table.h"

#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

bool isText(const QVariant& value) { return value.typeId() == QMetaType::QString; }

QString csvField(const QVariant& value) {
    if (value.typeId() == QMetaType::Double)
        return QLocale::c().toString(value.toDouble(), 'g', QLocale::FloatingPointShortest);
    QString field = value.toString();
    if (!field.contains(',') && !field.contains('"') && !field.contains('\n')) return field;
    return '"' + field.replace('"', QLatin1String("\"\"")) + '"';
}

template <typename List>
std::string csvLine(const List& values) {
    QStringList fields;
    for (const auto& value : values) fields << csvField(value);
    return fields.join(',').toStdString() + '\n';
}

}  // namespace

void ValueTable::setContent(const QStringList& headings, std::vector<Row> rows) {
    beginResetModel();
    headings_ = headings;
    rows_ = std::move(rows);
    endResetModel();
}

std::string ValueTable::csv() const {
    std::string text = csvLine(headings_);
    for (const Row& row : rows_) text += csvLine(row);
    return text;
}

int ValueTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ValueTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(headings_.size());
}

QVariant ValueTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const QVariant& value = rows_[static_cast<size_t>(index.row())][index.column()];
    if (role == Qt::TextAlignmentRole && !isText(value))
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    if (isText(value)) return value;
    return value.typeId() == QMetaType::Double ? decimalText(value.toDouble(), 'g', 6)
                                               : integerText(value.toLongLong());
}

QVariant ValueTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return headings_.value(section);
}

}  // namespace temper::ui
