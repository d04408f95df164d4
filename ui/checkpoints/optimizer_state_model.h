// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/ort/checkpoint_file.h"
#include "engine/provenance/module_names.h"
#include "ui/tensor_view/tensor_summary.h"

namespace temper::ui {

/// An optimizer's moment for a parameter, with its statistics.
struct CheckpointMoment {
    QString group;
    QString parameter;
    QString moment;  ///< "momentum0", ...
    TensorSummary summary;
    Tensor data;
};

/// Goes through the moments of all groups. Thread: any.
std::vector<CheckpointMoment> measureMoments(const CheckpointFile& checkpoint);

/// The moments of a checkpoint, a row each.
class OptimizerStateModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Parameter, Moment, Type, Norm, Minimum, Maximum, Zeros, Group, kColumns };

    explicit OptimizerStateModel(QObject* parent = nullptr);

    /// `names`: names of the tensors in the module, shown beside the tensors' own.
    void setMoments(std::vector<CheckpointMoment> moments, ModuleNames names = {});
    const CheckpointMoment& moment(int row) const { return moments_[static_cast<size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<CheckpointMoment> moments_;
    ModuleNames names_;
};

}  // namespace temper::ui
