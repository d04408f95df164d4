// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/panels/train/plane/plane_task.h"

namespace temper::ui {

/// The plane in numbers, and its legend: by class, the share of samples for which the model chooses
/// their class; the last row is for all classes.
class PlaneReportModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Training, Validation, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    void setLook(std::shared_ptr<const PlaneLook> look);
    /// Side of the markers, in pixels.
    void setMarkerSize(int size) { markerSize_ = size; }
    /// The theme has changed.
    void refreshMarkers();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString shareText(int row, bool isTraining) const;

    std::shared_ptr<const PlaneLook> look_;
    std::vector<int> colors_;
    int markerSize_ = 12;
};

/// All classes together.
PlaneShare sumOf(const std::vector<PlaneShare>& shares);
/// "93 %", or a dash if there are no samples.
QString shareText(const PlaneShare& share);

}  // namespace temper::ui
