// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace temper::test {

struct Include {
    std::string target;   ///< "engine/ir/graph.h" or "vector"
    bool quoted = false;  ///< "..." rather than <...>
    size_t line = 0;      ///< from 1
};

struct SourceFile {
    std::string path;  ///< relative to the root, '/' between folders
    std::string firstLine;
    size_t lines = 0;
    std::vector<Include> includes;
};

/// The C++ files below a folder of the repository, sorted by path; none if it does not exist.
std::vector<SourceFile> sourceFilesBelow(const std::string& root, const std::string& folder);

/// The includes of a source text.
std::vector<Include> parseIncludes(const std::string& text);

/// The classes that have members defined in a source text, outside their own braces: "Panel",
/// "Panel::Row". Definitions begin in the first column.
std::set<std::string> classesDefinedIn(const std::string& text);

}  // namespace temper::test
