// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/ort/checkpoint_diff.h"
#include "engine/provenance/module_names.h"

namespace temper::ui {

/// The differences of two checkpoints, a row for each parameter of either.
class CheckpointDiffModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Type, Change, Relative, Largest, Cosine, Remark, kColumns };

    explicit CheckpointDiffModel(QObject* parent = nullptr);

    /// `names`: names of the tensors in the module, shown beside the tensors' own.
    void setDiff(CheckpointDiff diff, ModuleNames names = {});
    const CheckpointDiff& diff() const { return diff_; }
    /// Null for a parameter that only one of the two has.
    const ParameterDiff* parameter(int row) const;

    /// Its name in the module, followed by its tensor's name.
    QString nameText(const ParameterDiff& parameter) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant lonely(int row, int column) const;

    CheckpointDiff diff_;
    ModuleNames names_;
};

}  // namespace temper::ui
