// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <mutex>
#include <vector>

#include "engine/runs/run_store.h"

namespace temper::ui {

/// Writes labels of runs (names, notes, pins and the like) in the order of their changes, whichever
/// task is first: of two changes the later one counts.
/// Thread: any.
class LabelWriter {
public:
    /// The run as the project in `folder` knows it.
    void add(const std::filesystem::path& folder, const StoredRun& run);
    /// Writes what was added until now. Waits for a write in progress. Throws: Error.
    void write();

private:
    struct Labels {
        std::filesystem::path folder;
        std::vector<StoredRun> runs;
    };

    std::mutex mutex_;
    std::vector<Labels> unwritten_;
    std::mutex writing_;
};

}  // namespace temper::ui
