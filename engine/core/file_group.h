// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace temper {

/// Files of a folder that change together, such as a model and its external data. They are written
/// into their own folder beside them, which is renamed once they are all complete and on the disk:
/// a failure or kill before that leaves everything as it was. Then each takes its place. If that
/// fails, all are restored; if the program is killed meanwhile, the next one that calls
/// finishFileGroup() or commit() for the folder puts the rest in place.
class FileGroup {
public:
    /// Makes the folder if it is missing. Throws: Error(Io) naming it.
    explicit FileGroup(std::filesystem::path folder);
    ~FileGroup();
    FileGroup(const FileGroup&) = delete;
    FileGroup& operator=(const FileGroup&) = delete;

    /// `writer` writes one file, or one and its companions, to the path that it receives. `name` is
    /// relative to the folder and may lead into subfolders. Errors that it throws name the file as
    /// it will be called.
    void write(const std::filesystem::path& name,
               const std::function<void(const std::filesystem::path&)>& writer);

    /// Call once. Throws: Error(Io); all files are then as they were, or the message says
    /// otherwise.
    void commit();

private:
    bool claimStaging();

    std::filesystem::path folder_;
    std::filesystem::path staging_;
    int lock_ = -1;  ///< of the folder `staging_`, held until this is destroyed
};

/// Puts in place what a killed program had yet to put in place; waits for one that is doing so.
/// Costs one system call if there is nothing to do. Call it before reading several files of a
/// folder that belong together. Throws: Error(Io) naming the folder.
void finishFileGroup(const std::filesystem::path& folder);

}  // namespace temper
