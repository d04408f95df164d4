// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/ort/checkpoint_file.h"
#include "engine/provenance/module_names.h"
#include "ui/tensor_view/tensor_summary.h"

namespace temper::ui {

/// A parameter of a checkpoint, measured.
struct CheckpointParameter {
    TensorSummary summary;
    bool trains = false;
    bool hasMoments = false;
};

/// Goes through all parameters. Thread: any.
std::vector<CheckpointParameter> measureParameters(const CheckpointFile& checkpoint);

/// The parameters of a checkpoint as a table.
class CheckpointParameterModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Type, Trains, Norm, Minimum, Maximum, Moments, kColumns };

    explicit CheckpointParameterModel(QObject* parent = nullptr);

    /// `names`: names of the tensors in the module, shown beside the tensors' own.
    void setParameters(std::vector<CheckpointParameter> parameters, ModuleNames names = {});
    /// The name in the file.
    QString nameOf(int row) const { return parameters_[static_cast<size_t>(row)].summary.name; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<CheckpointParameter> parameters_;
    ModuleNames names_;
};

}  // namespace temper::ui
