// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/training/projects/project_file.h"

namespace temper {

/// The ending of a project as one file, a ZIP archive: "digits.temper".
inline constexpr const char* kProjectArchiveEnding = ".temper";

/// Whether the name ends so, in any case.
bool isProjectArchivePath(const std::filesystem::path& path);

struct PackOptions {
    bool withRuns = true;              ///< the history, logs and checkpoints
    int64_t mostDataBytes = 64 << 20;  ///< larger data stays where it is
    std::map<std::string, std::string> texts =
        {};  ///< further files by name, such as a program's view
};

struct PackedProject {
    std::vector<std::string> leftOut;  ///< data that the archive only names, by path
    int64_t bytes = 0;                 ///< of the archive
};

/// Shares from 0 to 1, from the calling thread; false ends the work: Error(State).
using ArchiveProgress = std::function<bool(double share)>;

/// Writes a project into one file that opens elsewhere as it was: the choices, the model with its
/// external data, data that is small, and from `folder` (empty: none yet) the history of runs. What
/// the archive holds is named relative to it; data that it does not hold keeps its absolute path.
/// The file is written as AtomicFile does. Runs may go on meanwhile.
/// Throws: Error(NotFound | Io) naming the file; Error(State) where `progress` ends it.
PackedProject packProject(const ProjectFile& project, const std::filesystem::path& folder,
                          const std::filesystem::path& target, const PackOptions& options = {},
                          const ArchiveProgress& progress = {});

/// A file in an archive.
struct ArchivedFile {
    std::string name;  ///< "model/net.onnx": relative, of plain components
    uint64_t bytes = 0;
    bool operator==(const ArchivedFile&) const = default;
};

/// What an archive holds. It may come from anywhere: names that leave the folder, links, names that
/// differ by case only, sizes that no archive can hold and what is no project are refused before a
/// byte is written. `name` is for errors. Throws: Error(InvalidInput) naming archive and file.
std::vector<ArchivedFile> archivedFiles(std::span<const std::byte> bytes, const std::string& name);

struct UnpackedProject {
    std::filesystem::path folder;
    bool wasThere = false;  ///< the same archive was unpacked there before: nothing was written
};

/// Unpacks into a new folder in `parent`, called as the archive, "digits 2" where another one of
/// that name is there. The folder comes into being when all of it is written.
/// Throws: as archivedFiles(), Error(NotFound | Io) naming the file; Error(State) where `progress`
/// ends it.
UnpackedProject unpackProject(const std::filesystem::path& archive,
                              const std::filesystem::path& parent,
                              const ArchiveProgress& progress = {});

}  // namespace temper
