// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>
#include <vector>

#include "ui/checkpoints/optimizer_state_model.h"

class QLabel;
class QTableView;

namespace temper::ui {

class TaskRunner;
class TensorView;

/// The optimizer state of a checkpoint: steps and rate of each group, and the moments of each
/// parameter, whose values can be inspected.
class OptimizerStateView : public QStackedWidget {
    Q_OBJECT
public:
    OptimizerStateView(TaskRunner& tasks, QWidget* parent = nullptr);

    void setState(const CheckpointFile& file, std::vector<CheckpointMoment> moments,
                  const ModuleNames& names = {});
    OptimizerStateModel* model() const { return model_; }
    QTableView* table() const { return table_; }
    TensorView* values() const { return values_; }

private:
    void showMoment(const QModelIndex& row);

    OptimizerStateModel* model_;
    QLabel* groups_;
    QTableView* table_ = nullptr;
    TensorView* values_ = nullptr;
};

}  // namespace temper::ui
