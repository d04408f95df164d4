// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/plots/plot_series.h"

namespace temper::ui {

/// The curves of a plot as rows: their first, last, least and greatest values.
class SeriesTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Points, First, Last, Minimum, MinimumAt, Maximum, MaximumAt, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    void setSeries(std::vector<SeriesSummary> series);
    const std::vector<SeriesSummary>& series() const { return series_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    std::vector<SeriesSummary> series_;
};

/// The chart described in words, for screen readers.
QString describeChart(const QString& title, const std::vector<SeriesSummary>& series);

}  // namespace temper::ui
