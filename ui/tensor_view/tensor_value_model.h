// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "engine/data/tensor_order.h"

namespace temper::ui {

class TaskRunner;

/// A window of rows onto the elements of a tensor in some order. For any number of elements, it has
/// only the rows that a view shows; tasks find the places in sorted orders, which read "…" until
/// they are known.
class TensorValueModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Position, Value, Magnitude, kColumns };

    TensorValueModel(TaskRunner& tasks, QObject* parent = nullptr);
    ~TensorValueModel() override;

    /// An empty tensor, or one without numbers, has no rows.
    void setTensor(const Tensor& tensor);
    const Tensor& tensor() const { return tensor_; }
    int64_t total() const;

    /// Sets the first shown element, by its place in the order, and the number of rows.
    void setWindow(int64_t first, int rows);
    int64_t first() const { return first_; }

    void sort(int column, Qt::SortOrder order) override;
    bool isSorting() const { return sortTask_ != 0; }
    /// The element at a row; -1 while it is unknown.
    int64_t positionAt(int row) const;
    /// "[3, 0, 2]" for an element.
    QString indexText(int64_t position) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void sortingChanged();

private:
    void fetch();
    void adopt(std::shared_ptr<const TensorOrder> order);
    void showRows(int64_t first, std::vector<int64_t> positions);
    void cancel();

    TaskRunner& tasks_;
    Tensor tensor_;
    std::shared_ptr<const TensorOrder> order_;  ///< null: by position, upwards
    int64_t first_ = 0;
    int rows_ = 0;
    int64_t fetched_ = 0;  ///< place of the first known position
    std::vector<int64_t> positions_;
    int sortTask_ = 0;
    int fetchTask_ = 0;
};

}  // namespace temper::ui
