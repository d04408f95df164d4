// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/jobs/job_store.h"

namespace temper {

/// A checkpoint in the folder of a run.
struct CheckpointInfo {
    std::string name;  ///< "last.ckpt"
    int64_t bytes = 0;

    bool operator==(const CheckpointInfo&) const = default;
};

/// Where the run of a job has its checkpoints. Throws: as runOf().
std::filesystem::path checkpointFolderOf(const Job& job);
/// Those in a folder, sorted by name.
std::vector<CheckpointInfo> checkpointsIn(const std::filesystem::path& folder);

/// [{"name": "last.ckpt", "bytes": 4096}, ...].
std::string toJson(const std::vector<CheckpointInfo>& checkpoints);
/// The inverse. Throws: Error(InvalidInput) naming the key.
std::vector<CheckpointInfo> checkpointsFromJson(std::string_view json);

}  // namespace temper
