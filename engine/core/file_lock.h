// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace temper {

/// Whether the open file is the one that has this name now.
bool isSameFile(int descriptor, const std::filesystem::path& path);

/// Holds an open file or folder for this process until it is closed, which the operating system
/// does when the process ends, however it ends. False: another process has it. A file system
/// without locks gives it to all.
bool tryLock(int descriptor);

/// Who has the lock, for a message: "process 4711 (temper)"; "another process" where the operating
/// system does not say.
std::string lockHolder(int descriptor);

/// A folder that only one process may write to.
class FolderLock {
public:
    /// Makes the folder where it is missing. Throws: Error(State) naming who has it; Error(Io).
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int descriptor_;
};

}  // namespace temper
