// SPDX-License-Identifier: Apache-2.0
#include "engine/core/shell_command.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string_view>

#include "engine/core/joined.h"
#include "engine/core/printable.h"

namespace temper {
namespace {

bool isPlain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
}

/// $'...' as shells read it: what a terminal would interpret is written by its number.
/// Source: POSIX.1-2024, Shell Command Language, 2.2.4.
std::string escaped(const std::string& argument) {
    std::string text = "$'";
    for (const char c : argument) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            text += "\\n";
        } else if (c == '\t') {
            text += "\\t";
        } else if (c == '\'' || c == '\\') {
            text += {'\\', c};
        } else if (byte < 0x20 || byte >= 0x7F) {
            char number[8];
            std::snprintf(number, sizeof number, "\\%03o", byte);
            text += number;
        } else {
            text += c;
        }
    }
    return text + "'";
}

std::string quoted(const std::string& argument) {
    if (!argument.empty() && std::ranges::all_of(argument, isPlain)) return argument;
    std::string text = "'";
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::string shellCommand(const std::vector<std::string>& arguments) {
    return joinedBy(" ", arguments, [](const std::string& argument) {
        const bool isPrintable = printableLine(argument) == argument;
        return isPrintable ? quoted(argument) : escaped(argument);
    });
}

std::string scriptCommand(const std::vector<std::string>& arguments) {
    return joinedBy(" ", arguments, quoted);
}

}  // namespace temper
