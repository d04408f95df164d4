// SPDX-License-Identifier: Apache-2.0
#include "engine/core/output_check.h"

#include <sys/stat.h>

#include <string>
#include <system_error>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// The folder itself, or its nearest existing parent.
fs::path nearestThere(fs::path folder) {
    std::error_code ignored;
    while (folder.has_relative_path() && !fs::exists(folder, ignored))
        folder = folder.parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

}  // namespace

void requireReplaceable(const fs::path& target) {
    struct stat info = {};
    if (::lstat(target.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))
        return;
    throw Error(ErrorCode::Io,
                "File '" + target.string() + "' can't be written: it is " +
                    (S_ISDIR(info.st_mode) ? "a folder." : "a pipe, a socket or a device."),
                "Choose a file.");
}

void requireWritableFile(const fs::path& path) {
    if (!path.empty()) const AtomicFile made(path);
}

void requireWritableFolder(const fs::path& folder) {
    if (folder.empty()) return;
    const fs::path there = nearestThere(folder);
    std::error_code ignored;
    if (!fs::is_directory(there, ignored)) {
        throw Error(ErrorCode::Io,
                    "Folder '" + folder.string() + "' can't be created: '" + there.string() +
                        "' is a file.",
                    "Choose another folder.");
    }
    try {
        const AtomicFile made(there / ".temper-probe");
    } catch (Error& error) {
        throw Error(ErrorCode::Io,
                    "Folder '" + folder.string() + "' can't be written to: " + error.message(),
                    "Choose another folder, or check its permissions.");
    }
}

void requireFreeSpace(const fs::path& folder, int64_t bytes) {
    std::error_code error;
    const fs::space_info space = fs::space(nearestThere(folder), error);
    if (error || space.available >= static_cast<uintmax_t>(bytes)) return;
    throw Error(ErrorCode::Io,
                "The disk of '" + folder.string() + "' has " + counted(space.available, "byte") +
                    " left; " + std::to_string(bytes) + " are needed.",
                "Free some space, or choose a folder on another disk.");
}

}  // namespace temper
