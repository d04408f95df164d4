// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace temper {

// What a command is going to write is checked before its work, so that none of that is in vain.
// Nothing is made or changed.

/// Throws: Error(Io) naming the file where its folder is not there or can't be written to, or where
/// something that is no file has its name. An empty path is none.
void requireWritableFile(const std::filesystem::path& path);

/// Whether a new file may take the place of what has this name, if anything has: a pipe or a device
/// would be gone for all others. Throws: Error(Io) naming it.
void requireReplaceable(const std::filesystem::path& target);

/// A folder that is there, or that can be made. Throws: Error(Io) naming it. An empty path is none.
void requireWritableFolder(const std::filesystem::path& folder);

/// Throws: Error(Io) naming the folder and both numbers.
void requireFreeSpace(const std::filesystem::path& folder, int64_t bytes);

}  // namespace temper
