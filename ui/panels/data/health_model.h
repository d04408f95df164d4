// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/core/error.h"

namespace temper::ui {

/// Findings about the data, worst first, with what to do.
class HealthModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { What, Advice, Code, kColumns };

    explicit HealthModel(QObject* parent = nullptr);

    void setFindings(std::vector<Finding> findings);
    const Finding& finding(int row) const { return findings_[static_cast<size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Finding> findings_;
};

}  // namespace temper::ui
