// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "engine/training/spec/training_spec.h"

namespace temper {

/// What a project folder keeps besides runs and checkpoints: the choices, and the state of the
/// view.
struct ProjectFile {
    TrainingSpec spec;
    std::map<std::string, std::string> view;  ///< a program's own: last page, plots, ...

    bool operator==(const ProjectFile&) const = default;
};

/// "project.json" in a folder.
std::filesystem::path projectFilePath(const std::filesystem::path& folder);
/// Whether the folder holds a project.
bool isProjectFolder(const std::filesystem::path& folder);

/// Readable JSON in a stable order. Model and data that are in `folder`, or share a folder other
/// than the root with it, have paths relative to it.
std::string toJson(const ProjectFile& project, const std::filesystem::path& folder);
/// The inverse: paths are absolute. Throws: Error(InvalidInput) naming the key, also for a file of
/// a newer format.
ProjectFile projectFromJson(std::string_view json, const std::filesystem::path& folder);

/// Throws: Error(NotFound | Io | InvalidInput) naming the file.
ProjectFile readProject(const std::filesystem::path& folder);
/// Creates the folder if it is missing; the file is written atomically. Throws: Error(Io).
void writeProject(const ProjectFile& project, const std::filesystem::path& folder);

}  // namespace temper
