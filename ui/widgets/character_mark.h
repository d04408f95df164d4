// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <optional>

namespace temper::ui {

/// Marks a character of a field with a wave in the colour of errors, the space behind the text
/// where it is there; nothing: takes the mark away. Text and cursor stay as they are.
void markCharacter(QLineEdit& field, std::optional<int> position);

/// The character that is marked.
std::optional<int> markedCharacter(const QLineEdit& field);

}  // namespace temper::ui
