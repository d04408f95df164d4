// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>

#include "engine/runs/run_store.h"

namespace temper::ui {

/// Numbers for the runs of several projects in one history: each project counts its runs from 1.
/// Those of the project that is open keep theirs.
class RunSources {
public:
    /// The number, in the history, of a run that has `run.id` in the project of `folder`.
    int64_t idOf(const QString& folder, const StoredRun& run);
    /// The project's folder; empty: the one that is open.
    QString folderOf(int64_t id) const;
    /// As the run's project knows it.
    StoredRun original(StoredRun run) const;

private:
    QStringList folders_;  ///< a place here is for good
};

}  // namespace temper::ui
