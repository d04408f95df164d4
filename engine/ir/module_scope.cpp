// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/module_scope.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace temper {
namespace {

constexpr const char* kNameScopes = "pkg.torch.onnx.name_scopes";
constexpr const char* kClasses = "pkg.torch.onnx.class_hierarchy";
constexpr const char* kNamespace = "namespace";
constexpr const char* kStackTrace = "pkg.torch.onnx.stack_trace";

bool isNumber(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const size_t end = text.find(separator);
        if (end != 0) parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

/// "encoder.0.conv.Conv": numbers stay with the word before them.
std::vector<std::string> splitDotted(std::string_view text) {
    std::vector<std::string> parts;
    for (const std::string& part : split(text, '.')) {
        if (isNumber(part) && !parts.empty()) {
            parts.back() += "." + part;
        } else {
            parts.push_back(part);
        }
    }
    return parts;
}

/// PyTorch repeats the parent in "/encoder/encoder.0": only "0" is new, also in "layer1.0".
std::string withoutParent(const std::string& name, const std::string& parent) {
    const std::string prefix = parent + ".";
    return name.size() > prefix.size() && name.starts_with(prefix) ? name.substr(prefix.size())
                                                                   : name;
}

std::vector<ModuleScope> scopesInName(const Node& node) {
    std::string_view name = node.name();
    if (name.empty())
        for (const Value* output : node.outputs())
            if (name.empty() && output != nullptr) name = output->name();
    const bool slashes = name.find('/') != std::string_view::npos;
    std::vector<std::string> parts = slashes ? split(name, '/') : splitDotted(name);
    if (!parts.empty()) parts.pop_back();
    std::vector<ModuleScope> scopes;
    for (size_t i = 0; i < parts.size(); ++i)
        scopes.push_back({slashes && i > 0 ? withoutParent(parts[i], parts[i - 1]) : parts[i], {}});
    return scopes;
}

/// The modules with their full paths, the whole program ("") first, the operation last.
using Paths = std::vector<std::pair<std::string, std::string>>;

/// From ": model.Net/body: torch.nn.modules.container.Sequential/linear: aten.linear.default".
Paths pathsInNamespace(const std::string& text) {
    constexpr std::string_view kColon = ": ";
    Paths paths;
    for (const std::string& part : split(text, '/')) {
        const size_t colon = part.find(kColon);
        if (colon == std::string::npos) return {};
        paths.emplace_back(part.substr(0, colon), part.substr(colon + kColon.size()));
    }
    return paths;
}

Paths pathsOf(const Node& node) {
    const std::vector<std::string> names = quotedTexts(metadataText(node.metadata(), kNameScopes));
    const std::vector<std::string> classes = quotedTexts(metadataText(node.metadata(), kClasses));
    if (names.empty()) return pathsInNamespace(metadataText(node.metadata(), kNamespace));
    Paths paths;
    for (size_t i = 0; i < names.size(); ++i)
        paths.emplace_back(names[i], classes.size() == names.size() ? classes[i] : std::string());
    return paths;
}

bool isOfPyTorch(std::string_view file) {
    return file.starts_with("torch/") || file.find("/torch/") != std::string_view::npos ||
           file.find("\\torch\\") != std::string_view::npos;
}

/// From `File "model.py", line 12, in forward`; nullopt for other lines.
std::optional<SourceLine> readFrame(std::string_view text) {
    constexpr std::string_view kFile = "File \"";
    constexpr std::string_view kLine = "\", line ";
    const size_t file = text.find(kFile);
    const size_t line = text.find(kLine);
    if (file == std::string_view::npos || line == std::string_view::npos || line < file)
        return std::nullopt;
    const size_t begin = file + kFile.size();
    SourceLine frame{std::string(text.substr(begin, line - begin)), 0, {}};
    const std::string_view number = text.substr(line + kLine.size());
    const auto read = std::from_chars(number.data(), number.data() + number.size(), frame.line);
    return read.ec == std::errc() ? std::optional(std::move(frame)) : std::nullopt;
}

std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace

std::string_view ModuleScope::shortClass() const {
    const size_t dot = className.rfind('.');
    return std::string_view(className).substr(dot == std::string::npos ? 0 : dot + 1);
}

std::vector<ModuleScope> modulesAround(const Node& node) {
    const Paths paths = pathsOf(node);
    if (paths.empty()) return scopesInName(node);
    std::vector<ModuleScope> scopes;
    std::string around;
    for (size_t i = 0; i + 1 < paths.size(); ++i) {
        if (paths[i].first.empty()) continue;
        scopes.push_back({withoutParent(paths[i].first, around), paths[i].second});
        around = paths[i].first;
    }
    return scopes;
}

std::string modulePath(const Node& node) {
    const Paths paths = pathsOf(node);
    return paths.size() < 2 ? std::string() : paths[paths.size() - 2].first;
}

std::string SourceLine::describe() const {
    const size_t slash = file.find_last_of("/\\");
    return file.substr(slash == std::string::npos ? 0 : slash + 1) + " line " +
           std::to_string(line);
}

std::optional<SourceLine> sourceLineOf(const Node& node) {
    std::vector<SourceLine> frames;
    for (const std::string& text : split(metadataText(node.metadata(), kStackTrace), '\n')) {
        if (auto frame = readFrame(text)) {
            frames.push_back(std::move(*frame));
        } else if (!frames.empty() && frames.back().code.empty()) {
            frames.back().code = trimmed(text);
        }
    }
    if (frames.empty()) return std::nullopt;
    const auto outside = std::find_if(frames.rbegin(), frames.rend(), [](const SourceLine& frame) {
        return !isOfPyTorch(frame.file);
    });
    return outside == frames.rend() ? frames.back() : *outside;
}

std::string placeInProgram(const Node& node) {
    const std::string path = modulePath(node);
    const std::optional<SourceLine> line = sourceLineOf(node);
    return (path.empty() ? "" : " of '" + path + "'") + (line ? ", " + line->describe() : "");
}

}  // namespace temper
