// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace temper {

/// External text as a terminal or a page may show it: control characters and those that change the
/// writing direction are replaced by "\u001b" and the like, bytes that are not UTF-8 by U+FFFD.
/// Line breaks and tabs stay. JSON stays JSON, with the same meaning.
std::string printable(std::string_view text);

/// The same on one line, for names: "\n" and "\t" replace line breaks and tabs.
std::string printableLine(std::string_view text);

/// The same for a sentence, which may have further lines if they are indented by four spaces: none
/// can be mistaken for a separate message.
std::string printableMessage(std::string_view text);

/// The number of bytes at the end of a text that begin an incomplete character: 0 to 3.
size_t unfinishedBytes(std::string_view text);

}  // namespace temper
