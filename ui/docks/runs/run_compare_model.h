// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <set>
#include <vector>

namespace temper::ui {

class RunTableModel;

/// A few runs of a RunTableModel side by side: one column per run, one row per value.
class RunCompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Nobody compares more than this side by side, and a view with thousands of columns is slow.
    static constexpr int kMaxRuns = 50;

    /// `runs` must outlive it.
    explicit RunCompareModel(const RunTableModel& runs, QObject* parent = nullptr);

    /// `chosen`: rows of the runs; with fewer than two, all runs count. `hidden`: keys of columns.
    /// With `differencesOnly`, values equal in all runs are left out.
    void show(const std::vector<int>& chosen, const std::set<QString>& hidden,
              bool differencesOnly);
    /// Number of runs left out because of kMaxRuns.
    int leftOut() const { return leftOut_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool differs(int column) const;
    QVariant cell(int row, int column, int role) const;

    const RunTableModel& runs_;
    std::vector<int> shown_;   ///< rows of the runs
    std::vector<int> values_;  ///< columns of the runs
    int name_ = -1;            ///< the column of the names
    int leftOut_ = 0;
};

}  // namespace temper::ui
