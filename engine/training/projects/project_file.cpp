// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/project_file.h"

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/data/data_spec.h"
#include "engine/training/projects/lesson.h"

namespace temper {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "temper-project";
constexpr int kVersion = 1;

/// Files embedded in the program have a scheme ("lesson:...") instead of a folder.
bool isFile(const std::string& path) {
    return !path.empty() && !path.starts_with("lesson:") && path != "-";
}

std::string relativeTo(const fs::path& folder, const std::string& path) {
    if (!isFile(path)) return path;
    const fs::path absolute = fs::absolute(path).lexically_normal();
    const fs::path base = fs::absolute(folder).lexically_normal();
    auto a = absolute.begin(), b = base.begin();
    int common = 0;
    while (a != absolute.end() && b != base.end() && *a == *b) ++a, ++b, ++common;
    constexpr int kRootOnly = 1;
    return common > kRootOnly ? absolute.lexically_relative(base).generic_string()
                              : absolute.generic_string();
}

std::string absoluteFrom(const fs::path& folder, const std::string& path) {
    if (!isFile(path)) return path;
    return (fs::absolute(folder) / path).lexically_normal().string();
}

/// Applies `change` to the path in a data specification.
template <typename F>
std::string withPath(const std::string& text, F&& change) {
    if (text.empty()) return text;
    try {
        DataSpec spec = parseDataSpec(text, lessonFiles());
        const std::string path = change(spec.path);
        if (path == spec.path) return text;
        spec.path = path;
        return formatDataSpec(spec);
    } catch (const Error&) {
        return text;  // an invalid choice is kept, too; reading the data reports it
    }
}

template <typename F>
TrainingSpec withPaths(TrainingSpec spec, F&& change) {
    spec.model = change(spec.model);
    spec.run.data = withPath(spec.run.data, change);
    spec.run.evalData = withPath(spec.run.evalData, change);
    if (!spec.run.saveFolder.empty()) spec.run.saveFolder = change(spec.run.saveFolder);
    return spec;
}

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorCode::InvalidInput, message,
                "The file was edited by hand or written by a newer Temper.");
}

void requireFormat(const Json& json) {
    if (json.is_discarded()) fail("The file is empty, cut off or not JSON; expected a project.");
    if (!json.is_object() || json.value("format", Json()) != kFormat) {
        fail("The file is not a project: 'format' is not '" + std::string(kFormat) + "'.");
    }
    const Json version = json.value("version", Json());
    if (version != kVersion) {
        fail("The project has format " + version.dump() + "; this program knows format " +
             std::to_string(kVersion) + ".");
    }
    for (const auto& item : json.items()) {
        const std::string& key = item.key();
        if (key != "format" && key != "version" && key != "training" && key != "view") {
            fail("The key '" + key + "' of a project is unknown.");
        }
    }
}

std::map<std::string, std::string> viewOf(const Json& json) {
    std::map<std::string, std::string> view;
    const auto found = json.find("view");
    if (found == json.end()) return view;
    if (!found->is_object()) fail("'view' is " + found->dump() + "; expected an object.");
    for (const auto& item : found->items()) {
        if (!item.value().is_string()) fail("'view." + item.key() + "' is not a text.");
        view[item.key()] = item.value();
    }
    return view;
}

}  // namespace

fs::path projectFilePath(const fs::path& folder) { return folder / "project.json"; }

bool isProjectFolder(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(projectFilePath(folder), ignored);
}

std::string toJson(const ProjectFile& project, const fs::path& folder) {
    const TrainingSpec spec =
        withPaths(project.spec, [&](const std::string& path) { return relativeTo(folder, path); });
    Json json = {{"format", kFormat},
                 {"version", kVersion},
                 {"training", Json::parse(toJson(spec))},
                 {"view", Json::object()}};
    for (const auto& [key, value] : project.view) json["view"][key] = value;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ProjectFile projectFromJson(std::string_view text, const fs::path& folder) {
    const Json json = Json::parse(text, nullptr, false);
    requireFormat(json);
    if (!json.contains("training")) fail("The project has no 'training'.");
    return {withPaths(trainingSpecFromJson(json["training"].dump()),
                      [&](const std::string& path) { return absoluteFrom(folder, path); }),
            viewOf(json)};
}

ProjectFile readProject(const fs::path& folder) {
    const fs::path path = projectFilePath(folder);
    const std::string text = readFile(path);
    try {
        return projectFromJson(text, folder);
    } catch (Error& error) {
        error.addContext("project '" + path.string() + "'");
        throw;
    }
}

void writeProject(const ProjectFile& project, const fs::path& folder) {
    ensureFolder(folder);
    writeFileAtomically(projectFilePath(folder), toJson(project, folder));
}

}  // namespace temper
