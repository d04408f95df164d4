// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace temper {

/// Files of a folder that change together, such as a model and its external data. They are written
/// into a folder of their own beside them, which is renamed when they are all there and on the
/// disk: what fails or is killed before that leaves everything as it was. Then each takes its
/// place. Should that fail, all go back; should the program be killed while it happens, the next
/// one that calls finishFileGroup() or commit() for the folder puts the rest in place.
class FileGroup {
public:
    /// Makes the folder where it is missing. Throws: Error(Io) naming it.
    explicit FileGroup(std::filesystem::path folder);
    ~FileGroup();
    FileGroup(const FileGroup&) = delete;
    FileGroup& operator=(const FileGroup&) = delete;

    /// `writer` writes one file, or one and its companions, to the path that it is given. `name`
    /// counts from the folder, and may lead into folders below. What it throws names the file as
    /// it is to be called.
    void write(const std::filesystem::path& name,
               const std::function<void(const std::filesystem::path&)>& writer);

    /// Once. Throws: Error(Io); all files are then as they were, or the message says otherwise.
    void commit();

private:
    bool claimStaging();

    std::filesystem::path folder_;
    std::filesystem::path staging_;
    int lock_ = -1;  ///< of the folder `staging_`, held until this is destroyed
};

/// Puts in place what a program that was killed had still to put in place; waits for one that is
/// at it. Costs one system call where there is nothing to do. Call it before several files of a
/// folder are read that belong together. Throws: Error(Io) naming the folder.
void finishFileGroup(const std::filesystem::path& folder);

}  // namespace temper
