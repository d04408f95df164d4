// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace temper {

/// Text from outside as a terminal or a page may show it: control characters and those that turn
/// the direction of writing are "\u001b" in place of themselves, bytes that are no UTF-8 are
/// U+FFFD. Line breaks and tabs stay. JSON stays JSON, with the same meaning.
std::string printable(std::string_view text);

/// The same on one line, for names: "\n" and "\t" in place of line breaks and tabs.
std::string printableLine(std::string_view text);

/// The same for a sentence, which may have further lines if they are indented by four spaces: none
/// can be taken for a message of its own.
std::string printableMessage(std::string_view text);

/// How many bytes at the end of a text begin a character that is not complete: 0 to 3.
size_t unfinishedBytes(std::string_view text);

}  // namespace temper
