// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/label_writer.h"

#include <utility>

#include "engine/runs/run_journal.h"

namespace temper::ui {

void LabelWriter::add(const std::filesystem::path& folder, const StoredRun& run) {
    const std::lock_guard lock(mutex_);
    if (unwritten_.empty() || unwritten_.back().folder != folder)
        unwritten_.push_back({folder, {}});
    unwritten_.back().runs.push_back(run);
}

void LabelWriter::write() {
    const std::lock_guard turn(writing_);
    std::vector<Labels> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(unwritten_);
    }
    for (const Labels& labels : all) {
        RunStore store(runStorePath(labels.folder));
        for (const StoredRun& run : labels.runs) store.updateLabels(run);
    }
}

}  // namespace temper::ui
