// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>

#include "engine/runs/run_store.h"

namespace temper::ui {

/// Numbers for the runs of several projects in one history: each project counts its runs from 1.
/// Runs of the open project keep theirs.
class RunSources {
public:
    /// The number in the history of a run with `run.id` in the project of `folder`.
    int64_t idOf(const QString& folder, const StoredRun& run);
    /// The project's folder; empty: the open one.
    QString folderOf(int64_t id) const;
    /// The number of any run in its own project.
    static int64_t numberInProject(int64_t id);
    /// The run as its project knows it.
    StoredRun original(StoredRun run) const;

private:
    QStringList folders_;  ///< indices are permanent
};

}  // namespace temper::ui
