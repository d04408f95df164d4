// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/tensor_value_model.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/data/tensor_numbers.h"
#include "ui/tasks/task_runner.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

/// Number of rows fetched around the shown ones.
constexpr int64_t kAhead = 512;

}  // namespace

TensorValueModel::TensorValueModel(TaskRunner& tasks, QObject* parent)
    : QAbstractTableModel(parent), tasks_(tasks) {}

TensorValueModel::~TensorValueModel() { cancel(); }

void TensorValueModel::cancel() {
    tasks_.cancel(sortTask_);
    tasks_.cancel(fetchTask_);
    sortTask_ = fetchTask_ = 0;
}

int64_t TensorValueModel::total() const {
    return hasNumbers(tensor_.dtype()) ? tensor_.numElements() : 0;
}

void TensorValueModel::setTensor(const Tensor& tensor) {
    cancel();
    beginResetModel();
    tensor_ = tensor;
    order_ = nullptr;
    first_ = 0;
    positions_.clear();
    rows_ = static_cast<int>(std::min<int64_t>(rows_, total()));
    endResetModel();
    emit sortingChanged();
}

void TensorValueModel::setWindow(int64_t first, int rows) {
    const auto shown = static_cast<int>(std::min<int64_t>(std::max(rows, 0), total()));
    first = std::clamp<int64_t>(first, 0, total() - shown);
    if (shown != rows_) {
        beginResetModel();
        rows_ = shown;
        first_ = first;
        endResetModel();
    } else if (first != first_) {
        first_ = first;
        emit dataChanged(index(0, 0), index(std::max(0, rows_ - 1), kColumns - 1));
        emit headerDataChanged(Qt::Vertical, 0, std::max(0, rows_ - 1));
    }
    fetch();
}

void TensorValueModel::sort(int column, Qt::SortOrder order) {
    cancel();
    const OrderBy by = column == Value       ? OrderBy::Value
                       : column == Magnitude ? OrderBy::Magnitude
                                             : OrderBy::Position;
    if (by == OrderBy::Position && order == Qt::AscendingOrder) return adopt(nullptr);
    if (total() == 0) return;
    sortTask_ = tasks_.run(
        tr("Sorting values"), tr("The values could not be sorted"),
        [tensor = tensor_, by, descending = order == Qt::DescendingOrder](std::stop_token stop) {
            return std::make_shared<const TensorOrder>(tensor, by, descending, stop);
        },
        [this](std::shared_ptr<const TensorOrder> sorted) { adopt(std::move(sorted)); },
        [this](const Problem&) { adopt(nullptr); });
    emit sortingChanged();
}

void TensorValueModel::adopt(std::shared_ptr<const TensorOrder> order) {
    sortTask_ = 0;
    order_ = std::move(order);
    positions_.clear();
    first_ = 0;
    emit sortingChanged();
    if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, kColumns - 1));
    fetch();
}

void TensorValueModel::fetch() {
    if (!order_ || rows_ == 0 || positionAt(0) >= 0) {
        if (!order_ || rows_ == 0 || positionAt(rows_ - 1) >= 0) return;
    }
    tasks_.cancel(fetchTask_);
    const int64_t first = std::max<int64_t>(0, first_ - kAhead);
    const int64_t count = first_ - first + rows_ + kAhead;
    fetchTask_ = tasks_.run(
        tr("Reading values"), tr("The values could not be read"),
        [order = order_, first, count](std::stop_token stop) {
            return order->rows(first, count, stop);
        },
        [this, first](std::vector<int64_t> rows) { showRows(first, std::move(rows)); }, {});
}

void TensorValueModel::showRows(int64_t first, std::vector<int64_t> positions) {
    fetchTask_ = 0;
    fetched_ = first;
    positions_ = std::move(positions);
    if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, kColumns - 1));
}

int64_t TensorValueModel::positionAt(int row) const {
    const int64_t place = first_ + row;
    if (!order_) return place;
    const int64_t known = place - fetched_;
    if (known < 0 || known >= static_cast<int64_t>(positions_.size())) return -1;
    return positions_[static_cast<size_t>(known)];
}

QString TensorValueModel::indexText(int64_t position) const {
    QStringList parts;
    const Shape& shape = tensor_.shape();
    for (size_t axis = shape.size(); axis-- > 0;) {
        parts.prepend(QString::number(position % shape[axis]));
        position /= shape[axis];
    }
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

int TensorValueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int TensorValueModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant TensorValueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole && index.column() != Position)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
    const int64_t position = positionAt(index.row());
    if (position < 0) return QStringLiteral("…");
    if (index.column() == Position)
        return role == Qt::UserRole ? QVariant(static_cast<qlonglong>(position))
                                    : QVariant(indexText(position));
    const double value = numberAt(tensor_, position);
    const double shown = index.column() == Magnitude ? std::abs(value) : value;
    return role == Qt::UserRole ? QVariant(shown) : QVariant(decimalText(shown, 'g', 7));
}

QVariant TensorValueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical && role == Qt::DisplayRole)
        return QLocale().toString(static_cast<qlonglong>(first_ + section + 1));
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal && section != Position)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Position: return tr("Position");
        case Value: return tr("Value");
        case Magnitude: return tr("Magnitude");
        default: return {};
    }
}

}  // namespace temper::ui
