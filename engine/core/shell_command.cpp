// SPDX-License-Identifier: Apache-2.0
#include "engine/core/shell_command.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace temper {
namespace {

bool isPlain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
}

std::string quoted(const std::string& argument) {
    if (!argument.empty() && std::ranges::all_of(argument, isPlain)) return argument;
    std::string text = "'";
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::string shellCommand(const std::vector<std::string>& arguments) {
    std::string line;
    for (const std::string& argument : arguments) {
        line += (line.empty() ? "" : " ") + quoted(argument);
    }
    return line;
}

}  // namespace temper
