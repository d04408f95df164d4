// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace temper {

// A command checks its outputs before its work, so that no work is wasted.
// Nothing is made or changed.

/// Throws: Error(Io) naming the file if its folder is missing or can't be written to, or if
/// something that is not a file has its name. An empty path is ignored.
void requireWritableFile(const std::filesystem::path& path);

/// Checks whether a new file may replace what has this name, if anything has: a pipe or a device
/// would be lost to everyone else. Throws: Error(Io) naming it.
void requireReplaceable(const std::filesystem::path& target);

/// A folder that exists or can be made. Throws: Error(Io) naming it. An empty path is ignored.
void requireWritableFolder(const std::filesystem::path& folder);

/// Throws: Error(Io) naming the folder and both numbers.
void requireFreeSpace(const std::filesystem::path& folder, int64_t bytes);

}  // namespace temper
