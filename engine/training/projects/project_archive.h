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

/// The file name extension of a project as one file, a ZIP archive: "digits.temper".
inline constexpr const char* kProjectArchiveEnding = ".temper";

/// Whether the name ends like that, in any case.
bool isProjectArchivePath(const std::filesystem::path& path);

struct PackOptions {
    bool withRuns = true;              ///< the history, logs and checkpoints
    int64_t mostDataBytes = 64 << 20;  ///< larger data stays outside
    std::map<std::string, std::string> texts =
        {};  ///< further files by name, such as a program's view
};

struct PackedProject {
    std::vector<std::string> leftOut;  ///< paths of data that the archive only names
    int64_t bytes = 0;                 ///< of the archive
};

/// Receives shares from 0 to 1 on the calling thread; false cancels the work: Error(State).
using ArchiveProgress = std::function<bool(double share)>;

/// Writes a project into one file that opens elsewhere unchanged: the choices, the model with its
/// external data, data that is small, and from `folder` (empty: none yet) the history of runs.
/// Paths of what the archive holds are relative to it; other data keeps its absolute path. The file
/// is written as AtomicFile does. Runs may continue meanwhile.
/// Throws: Error(NotFound | Io) naming the file; Error(State) if `progress` cancels it.
PackedProject packProject(const ProjectFile& project, const std::filesystem::path& folder,
                          const std::filesystem::path& target, const PackOptions& options = {},
                          const ArchiveProgress& progress = {});

/// A file in an archive.
struct ArchivedFile {
    std::string name;  ///< "model/net.onnx": relative, of plain components
    uint64_t bytes = 0;
    bool operator==(const ArchivedFile&) const = default;
};

/// The contents of an archive. It may come from anywhere: names that leave the folder, links, names
/// that differ only in case, impossible sizes and anything that is not a project are refused before
/// a byte is written. `name` is for errors. Throws: Error(InvalidInput) naming archive and file.
std::vector<ArchivedFile> archivedFiles(std::span<const std::byte> bytes, const std::string& name);

struct UnpackedProject {
    std::filesystem::path folder;
    bool wasThere = false;  ///< the same archive had been unpacked there: nothing was written
};

/// Unpacks into a new folder in `parent`, named like the archive, or "digits 2" if another folder
/// of that name exists. The folder appears only when everything is written.
/// Throws: as archivedFiles(), Error(NotFound | Io) naming the file; Error(State) if `progress`
/// cancels it.
UnpackedProject unpackProject(const std::filesystem::path& archive,
                              const std::filesystem::path& parent,
                              const ArchiveProgress& progress = {});

}  // namespace temper
