// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "engine/runs/run_store.h"

namespace temper::ui {

/// The history of the project in a folder, the newest first; empty if it has none yet. Runs whose
/// program died become interrupted ones. Throws: Error. Thread: any.
std::vector<StoredRun> readStoredRuns(const std::filesystem::path& folder);

}  // namespace temper::ui
