// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "ui/docks/runs/run_table.h"

class QAbstractItemView;

namespace temper::ui {

class RunHistory;
class StudioProject;

/// Makes tables of the runs in the background. While a cell of a view is edited, a new table waits
/// for the end of that: it would close the editor and drop what was typed.
class RunTableFeed : public QObject {
    Q_OBJECT
public:
    RunTableFeed(StudioProject& project, RunHistory& history, QObject* parent = nullptr);

    /// The views that show the tables.
    void setViews(std::vector<const QAbstractItemView*> views);
    /// Makes the table of the current runs, in place of one that is not made yet.
    void request(const RunTableChoice& choice);

signals:
    void ready(std::shared_ptr<const temper::ui::RunTable> table);

private:
    void receive(std::shared_ptr<const RunTable> table);
    void receivePending();
    QWidget* openEditor() const;

    StudioProject& project_;
    RunHistory& history_;
    std::vector<const QAbstractItemView*> views_;
    std::shared_ptr<const RunTable> pending_;  ///< until the editor is closed
    int generation_ = 0;                       ///< of the project of the last table
    int task_ = 0;
};

}  // namespace temper::ui
