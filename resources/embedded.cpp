// SPDX-License-Identifier: Apache-2.0
#include "resources/embedded.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "resources/embedded_table.h"

namespace temper {

/// The files beside a path that does not exist, all files where its folder does not either.
static std::vector<std::string> filesNear(std::string_view path) {
    const size_t slash = path.rfind('/');
    const std::string_view folder =
        slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
    std::vector<std::string> near = embeddedFiles(folder);
    return near.empty() ? embeddedFiles("") : near;
}

std::span<const std::byte> embeddedFile(std::string_view path) {
    const std::span<const EmbeddedEntry> table = embeddedTable();
    const auto entry = std::find_if(table.begin(), table.end(),
                                    [&](const EmbeddedEntry& row) { return row.path == path; });
    if (entry == table.end()) {
        throw Error(ErrorCode::NotFound,
                    "File '" + std::string(path) + "' is not part of the program.",
                    "Choose one of: " + joined(filesNear(path)) + ".");
    }
    return {entry->begin, entry->end};
}

std::vector<std::string> embeddedFiles(std::string_view prefix) {
    std::vector<std::string> paths;
    for (const EmbeddedEntry& row : embeddedTable()) {
        if (std::string_view(row.path).starts_with(prefix)) paths.emplace_back(row.path);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace temper
