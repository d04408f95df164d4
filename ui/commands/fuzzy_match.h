// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace temper::ui {

/// How well `pattern` fits `text`: all its letters occur in this order, whatever their case and
/// with others between. Letters at the beginning of words and next to each other count more.
/// Nothing where it does not fit; an empty pattern fits everything with 0.
std::optional<int> fuzzyMatch(const QString& pattern, const QString& text);

}  // namespace temper::ui
