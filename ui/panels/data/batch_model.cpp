// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/batch_model.h"

#include <algorithm>

#include "ui/messages/problem.h"
#include "ui/panels/data/thumbnails.h"

namespace temper::ui {
namespace {

/// Number of shown elements per column.
constexpr int64_t kShownElements = 24;

QString elementName(const Column& column, int64_t element) {
    if (static_cast<size_t>(element) < column.elements.size())
        return text(column.elements[static_cast<size_t>(element)]);
    const QString name = text(column.name);
    return column.elementsPerSample() == 1 ? name : QStringLiteral("%1[%2]").arg(name).arg(element);
}

}  // namespace

BatchModel::BatchModel(QObject* parent) : QAbstractTableModel(parent) {}

void BatchModel::setBatch(std::shared_ptr<const FedBatch> batch) {
    beginResetModel();
    batch_ = std::move(batch);
    elements_.clear();
    if (batch_) {
        const auto& columns = batch_->columns;
        for (size_t column = 0; column < columns.size(); ++column)
            for (int64_t element = 0;
                 element < std::min(kShownElements, columns[column].elementsPerSample()); ++element)
                elements_.push_back({column, element, elementName(columns[column], element)});
    }
    endResetModel();
}

int BatchModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || !batch_) return 0;
    return static_cast<int>(batch_->samples.size());
}

int BatchModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(elements_.size());
}

QVariant BatchModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const Element& element = elements_[static_cast<size_t>(index.column())];
    return valueText(batch_->columns[element.column], batch_->tensors[element.column], index.row(),
                     element.element);
}

QVariant BatchModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) return {};
    if (section < 0 || (orientation == Qt::Vertical ? rowCount() : columnCount()) <= section)
        return {};
    if (orientation == Qt::Vertical)
        return QVariant::fromValue(batch_->samples[static_cast<size_t>(section)]);
    return elements_[static_cast<size_t>(section)].name;
}

}  // namespace temper::ui
