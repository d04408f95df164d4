// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/project/loaded_data.h"

namespace temper::ui {

/// The first samples as numbers: one row per sample, one column per element, exactly as fed.
class BatchModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit BatchModel(QObject* parent = nullptr);

    void setData(std::shared_ptr<const LoadedData> data);
    using QAbstractTableModel::setData;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Element {
        size_t column;
        int64_t element;
        QString name;
    };

    std::shared_ptr<const LoadedData> data_;
    std::vector<Element> elements_;
};

}  // namespace temper::ui
