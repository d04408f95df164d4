// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace temper {

/// Detects the separator of a table from its first lines: of semicolon, tab, comma and bar, the one
/// whose count outside quotes matches that of the first line in the most lines; the first of
/// equals. A comma if none matches in more than half of the lines. The comma comes late because it
/// is the decimal sign of tables with semicolons.
char sniffSeparator(std::span<const std::byte> table);

/// A number with a decimal comma, and points or spaces between its thousands, as one with a point:
/// "1.234,5" becomes "1234.5". Any other text stays as it is.
std::string withDecimalPoint(std::string_view field);

}  // namespace temper
