// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace temper::ui {

/// How well `pattern` fits `text`: the letters of each of its words occur in this order, whatever
/// their case and with others between; the words may come in any order. Letters at the beginning of
/// words and adjacent letters count more. No value if it does not fit; an empty pattern fits
/// everything with 0.
std::optional<int> fuzzyMatch(const QString& pattern, const QString& text);

}  // namespace temper::ui
