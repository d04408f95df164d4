// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/run/run_model.h"

namespace temper::ui {

/// The checkpoints of a RunModel, the latest first.
class CheckpointListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Step, Kind, File, kColumns };

    explicit CheckpointListModel(RunModel& run, QObject* parent = nullptr);

    const CheckpointEntry& entry(int row) const { return entries_[static_cast<size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void refresh();

    RunModel& run_;
    std::vector<CheckpointEntry> entries_;
};

}  // namespace temper::ui
