// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace temper::test {

namespace fs = std::filesystem;

static bool isSource(const fs::path& path) {
    static const std::vector<std::string> kEndings = {".cpp", ".h", ".cu", ".cuh"};
    return std::find(kEndings.begin(), kEndings.end(), path.extension()) != kEndings.end();
}

std::vector<Include> parseIncludes(const std::string& text) {
    static const std::regex kInclude(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
    std::vector<Include> includes;
    std::istringstream stream(text);
    std::string line;
    for (size_t number = 1; std::getline(stream, line); ++number) {
        std::smatch match;
        if (std::regex_search(line, match, kInclude)) {
            includes.push_back({match[2], match[1] == "\"", number});
        }
    }
    return includes;
}

std::set<std::string> classesDefinedIn(const std::string& text) {
    // At most a type precedes the name: "a = Class::make(" and arguments are something else.
    static const std::regex kMember(
        R"re(^(?:[A-Za-z_][^(=;]*[\s*&>])?((?:\w+::)+)(?:~?\w+|operator\S+)\()re");
    std::set<std::string> classes;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        const bool begins = !line.empty() && std::isalpha(static_cast<unsigned char>(line[0]));
        std::smatch match;
        if (begins && std::regex_search(line, match, kMember)) {
            const std::string name = match[1];
            classes.insert(name.substr(0, name.size() - 2));
        }
    }
    return classes;
}

static SourceFile readSource(const fs::path& root, const fs::path& path) {
    std::ifstream stream(path);
    std::stringstream text;
    text << stream.rdbuf();
    const std::string content = text.str();
    SourceFile file;
    file.path = path.lexically_relative(root).generic_string();
    file.firstLine = content.substr(0, content.find('\n'));
    file.lines = static_cast<size_t>(std::count(content.begin(), content.end(), '\n'));
    file.includes = parseIncludes(content);
    return file;
}

std::vector<SourceFile> sourceFilesBelow(const std::string& root, const std::string& folder) {
    std::vector<SourceFile> files;
    if (!fs::is_directory(fs::path(root) / folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
        if (entry.is_regular_file() && isSource(entry.path())) {
            files.push_back(readSource(root, entry.path()));
        }
    }
    std::sort(files.begin(), files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return files;
}

}  // namespace temper::test
