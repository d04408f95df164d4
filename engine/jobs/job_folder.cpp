// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_folder.h"

#include <cstdlib>
#include <string>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace temper {

namespace fs = std::filesystem;

JobFolder::JobFolder(const fs::path& folder) : folder_(fs::absolute(folder)) {}

void JobFolder::create() const {
    std::error_code error;
    if (fs::is_directory(folder_)) {
        constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
        if ((fs::status(folder_, error).permissions() & kOthers) == fs::perms::none) return;
        throw Error(ErrorCode::InvalidInput,
                    "Other users can open the folder '" + folder_.string() + "'.",
                    "Close it with `chmod 700`, or choose another one with --folder.");
    }
    ensureFolder(folder_);
    fs::permissions(folder_, fs::perms::owner_all, error);
    if (!error) return;
    throw Error(ErrorCode::Io, "The folder '" + folder_.string() +
                                   "' can't be closed to other users: " + error.message() + ".");
}

fs::path JobFolder::standard() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && fs::path(state).is_absolute()) return fs::path(state) / "temper/jobs";
    const char* home = std::getenv("HOME");
    if (home != nullptr && fs::path(home).is_absolute())
        return fs::path(home) / ".local/state/temper/jobs";
    throw Error(ErrorCode::NotFound, "The home folder is unknown: HOME is not set.",
                "Choose a folder for the jobs with --folder.");
}

fs::path JobFolder::fileOf(int64_t job, const char* ending) const {
    return folder_ / ("job-" + std::to_string(job) + ending);
}

fs::path JobFolder::lockOf(int64_t job) const { return fileOf(job, ".lock"); }
fs::path JobFolder::pipeOf(int64_t job) const { return fileOf(job, ".pipe"); }
fs::path JobFolder::outputOf(int64_t job) const { return fileOf(job, ".txt"); }

}  // namespace temper
