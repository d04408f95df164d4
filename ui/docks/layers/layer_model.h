// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "engine/runs/layer_health.h"

namespace temper::ui {

/// The parameters that train, as a run last measured them.
class LayerModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Name,
        Weights,
        Gradients,
        WeightNorm,
        GradientNorm,
        UpdateRatio,
        Zeros,
        DeadUnits,
        Remark,
        kColumns
    };
    /// A QVariant of Ridge in the columns Weights and Gradients; numbers to sort by in all.
    enum Role { RidgeRole = Qt::UserRole, SortRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// Null: no rows. The run's first measurement is kept for comparison with later ones.
    void setLayers(const std::shared_ptr<const LayersEvent>& layers);
    /// How many layers have a remark.
    int remarks() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    bool isSameRun(const LayersEvent& layers) const;
    QString textOf(int row, int column) const;
    QVariant numberOf(int row, int column) const;
    QString termOf(int row, int column) const;

    std::shared_ptr<const LayersEvent> first_, latest_;
    std::vector<LayerHealth> health_;
};

/// A distribution to draw: now and at the first measurement.
struct Ridge {
    MagnitudeHistogram now, first;
};

}  // namespace temper::ui

Q_DECLARE_METATYPE(temper::ui::Ridge)
