// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace temper {

/// Whether the open file is the one that has this name now.
bool isSameFile(int descriptor, const std::filesystem::path& path);

/// Holds an open file or folder for this process until it is closed, which the operating system
/// does when the process ends, however it ends. False: another process has it. On a file system
/// without locks, everyone gets it.
bool tryLock(int descriptor);

/// The owner of the lock, for a message: "process 4711 (temper)"; "another process" if the
/// operating system does not say.
std::string lockHolder(int descriptor);

/// A folder that only one process may write to.
class FolderLock {
public:
    /// Makes the folder if it is missing. Throws: Error(State) naming the owner of its lock;
    /// Error(Io).
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    /// Whether a process has the lock now. Throws: Error(Io).
    static bool isHeld(const std::filesystem::path& folder);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int descriptor_;
};

}  // namespace temper
