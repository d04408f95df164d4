// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <optional>

namespace temper::ui {

/// Marks a character of a field with a wave in the error colour, or the space after the text if the
/// position is there; no value: removes the mark. Text and cursor do not change.
void markCharacter(QLineEdit& field, std::optional<int> position);

/// The marked character.
std::optional<int> markedCharacter(const QLineEdit& field);

}  // namespace temper::ui
