// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_sources.h"

namespace temper::ui {
namespace {

/// More than a project will ever have.
constexpr int64_t kRunsOfAProject = int64_t{1} << 40;

}  // namespace

int64_t RunSources::idOf(const QString& folder, const StoredRun& run) {
    if (!folders_.contains(folder)) folders_ << folder;
    return kRunsOfAProject * (folders_.indexOf(folder) + 1) + run.id;
}

QString RunSources::folderOf(int64_t id) const {
    const int64_t place = id / kRunsOfAProject;
    return place == 0 ? QString() : folders_[place - 1];
}

int64_t RunSources::numberInProject(int64_t id) { return id % kRunsOfAProject; }

StoredRun RunSources::original(StoredRun run) const {
    run.id = numberInProject(run.id);
    return run;
}

}  // namespace temper::ui
