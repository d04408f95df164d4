// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_checkpoints.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/core/folder.h"
#include "engine/jobs/job_json.h"
#include "engine/jobs/job_status.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/project_run.h"

namespace temper {

namespace fs = std::filesystem;

fs::path checkpointFolderOf(const Job& job) {
    const StoredRun run = runOf(job);
    return checkpointFolderOf(specOfRun(run, job.project), runFolderOf(job.project, run));
}

std::vector<CheckpointInfo> checkpointsIn(const fs::path& folder) {
    std::vector<CheckpointInfo> checkpoints;
    for (const fs::directory_entry& entry : entriesOf(folder)) {
        std::error_code gone;
        if (entry.path().extension() != ".ckpt" || !entry.is_regular_file(gone)) continue;
        const auto bytes = static_cast<int64_t>(entry.file_size(gone));
        if (!gone) checkpoints.push_back({entry.path().filename().string(), bytes});
    }
    std::ranges::sort(checkpoints, {}, &CheckpointInfo::name);
    return checkpoints;
}

std::string toJson(const std::vector<CheckpointInfo>& checkpoints) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [name, bytes] : checkpoints)
        list.push_back({{"name", name}, {"bytes", bytes}});
    return jsonText(list);
}

std::vector<CheckpointInfo> checkpointsFromJson(std::string_view json) {
    return fromJson(json, [](const nlohmann::json& list) {
        std::vector<CheckpointInfo> checkpoints;
        for (const nlohmann::json& item : list) {
            checkpoints.push_back(
                {item.at("name").get<std::string>(), item.at("bytes").get<int64_t>()});
        }
        return checkpoints;
    });
}

}  // namespace temper
