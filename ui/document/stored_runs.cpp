// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/stored_runs.h"

#include "engine/runs/run_journal.h"

namespace temper::ui {

std::vector<StoredRun> readStoredRuns(const std::filesystem::path& folder) {
    if (!std::filesystem::exists(runStorePath(folder))) return {};
    RunStore store(runStorePath(folder));
    markInterrupted(store, folder);
    return store.runs();
}

}  // namespace temper::ui
