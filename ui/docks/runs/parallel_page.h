// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QLabel;

namespace temper::ui {

class ParallelView;
class RunTableModel;

/// Runs over parallel axes, and a sentence that says what can be done there and how many runs are
/// within the marked ranges.
class ParallelPage : public QWidget {
    Q_OBJECT
public:
    /// `runs` must outlive it.
    explicit ParallelPage(const RunTableModel& runs, QWidget* parent = nullptr);

    ParallelView* view() const { return view_; }
    /// Shows the runs anew.
    void refresh(std::vector<int> selectedRows);

signals:
    /// The rows within the ranges; none if there are no ranges, or too many rows to look at.
    void rowsChosen(const std::vector<int>& rows);

private:
    void choose();
    void say();

    const RunTableModel& runs_;
    ParallelView* view_;
    QLabel* sentence_;
};

}  // namespace temper::ui
