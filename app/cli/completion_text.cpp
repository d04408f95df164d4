// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completion_text.h"

#include <algorithm>

namespace temper::cli {

std::string escaped(const std::string& text, const std::string& characters) {
    std::string result;
    for (const char c : text) {
        if (characters.find(c) != std::string::npos) result += '\\';
        result += c;
    }
    return result;
}

std::string shellQuoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
}

std::string shortHelp(const std::string& help) {
    const size_t end = std::min(help.find('\n'), help.find(": "));
    return help.substr(0, end);
}

const CompletionCommand& commandAt(const std::vector<CompletionCommand>& commands,
                                   std::string_view path) {
    return *std::ranges::find(commands, path, &CompletionCommand::path);
}

std::string childPath(const CompletionCommand& command, const std::string& name) {
    return command.path.empty() ? name : command.path + " " + name;
}

}  // namespace temper::cli
