// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <set>
#include <vector>

namespace temper::ui {

class RunTableModel;

/// A few runs of a RunTableModel side by side: a column for each run, a row for each of its values.
class RunCompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// More side by side than this nobody compares; and a view is slow with thousands of columns.
    static constexpr int kMaxRuns = 50;

    /// `runs` has to outlive it.
    explicit RunCompareModel(const RunTableModel& runs, QObject* parent = nullptr);

    /// `chosen` are rows of the runs; without two of them all runs that are there count. `hidden`
    /// are keys of columns. With `differencesOnly`, what is alike in all runs is left out.
    void show(const std::vector<int>& chosen, const std::set<QString>& hidden,
              bool differencesOnly);
    /// Runs that would be shown but for kMaxRuns.
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
