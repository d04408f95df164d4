// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/panels/data/fed_batch.h"

namespace temper::ui {

/// A batch as numbers: one row per sample, one column per element, exactly as fed.
class BatchModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit BatchModel(QObject* parent = nullptr);

    void setBatch(std::shared_ptr<const FedBatch> batch);

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

    std::shared_ptr<const FedBatch> batch_;
    std::vector<Element> elements_;
};

}  // namespace temper::ui
