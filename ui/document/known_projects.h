// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <vector>

#include "engine/runs/run_store.h"

class QSettings;

namespace temper::ui {

class TaskRunner;

/// A project and its history.
struct KnownProject {
    QString folder;
    QString name;
    std::vector<StoredRun> runs;
};

/// All projects that were ever open, with their runs, including the open one. Their folders are
/// kept in the settings, separately from the short list of recent files, unless they hold no runs.
/// The runs are read in a task on request; projects that can't be read are left out, and so are
/// those that are not there now, perhaps because their drive is not mounted.
/// Thread: the GUI thread.
class KnownProjects : public QObject {
    Q_OBJECT
public:
    /// Both arguments outlive it.
    KnownProjects(TaskRunner& tasks, QSettings& settings, QObject* parent = nullptr);

    /// Puts the folder of a project at the front of the list.
    void add(const QString& folder);
    /// The one opened last first; empty before the first refresh().
    const std::vector<KnownProject>& all() const { return projects_; }
    /// Null if there is none.
    const KnownProject* find(const QString& folder) const;
    /// Reads them again.
    void refresh();

signals:
    void changed();

private:
    /// As they are now: other windows add to them, too.
    QStringList folders() const;
    void forget(const QStringList& empty);

    TaskRunner& tasks_;
    QSettings& settings_;
    std::vector<KnownProject> projects_;
    int task_ = 0;
};

}  // namespace temper::ui
