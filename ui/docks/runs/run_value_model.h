// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QVariant>
#include <vector>

namespace temper::ui {

/// The value of a run's curve at a step.
struct RunValue {
    QString run;
    QVariant sign;  ///< how its curve is drawn
    double step = 0;
    double value = 0;
    double smoothed = 0;
};

/// The values of several runs at one step, the best one first.
class RunValueModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Run, Value, Smoothed, Step, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    /// Sorts by the drawn value, the smoothed one if `isSmoothed`. Non-finite values come last.
    void setValues(std::vector<RunValue> values, bool isSmoothed, bool higherIsBetter);
    const std::vector<RunValue>& values() const { return values_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    std::vector<RunValue> values_;
};

}  // namespace temper::ui
