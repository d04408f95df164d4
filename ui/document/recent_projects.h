// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "engine/runs/run_store.h"

namespace temper::ui {

class RecentFiles;
class TaskRunner;

/// A project and its history.
struct RecentProject {
    QString folder;
    QString name;
    std::vector<StoredRun> runs;
};

/// The projects in the list of recent files with their runs, including the open one. They are read
/// in a task on request; those that are gone or can't be read are left out. Thread: the GUI thread.
class RecentProjects : public QObject {
    Q_OBJECT
public:
    /// Both arguments outlive it.
    RecentProjects(TaskRunner& tasks, const RecentFiles& recent, QObject* parent = nullptr);

    /// In the order of the list; empty before the first refresh().
    const std::vector<RecentProject>& all() const { return projects_; }
    /// Null if there is none.
    const RecentProject* find(const QString& folder) const;
    /// Reads them again.
    void refresh();

signals:
    void changed();

private:
    TaskRunner& tasks_;
    const RecentFiles& recent_;
    std::vector<RecentProject> projects_;
    int task_ = 0;
};

}  // namespace temper::ui
