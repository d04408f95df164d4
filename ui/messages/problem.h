// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>
#include <exception>
#include <string_view>

namespace temper::ui {

/// The message for the user when something failed: what, why, and what to do.
struct Problem {
    QString title;             ///< "The model could not be opened"
    QString message;           ///< one sentence
    QString hint;              ///< may be empty
    bool isCancelled = false;  ///< nothing went wrong: the user cancelled it
    QString details = {};      ///< all known facts, for reports; may be empty

    bool isEmpty() const { return message.isEmpty(); }
};

/// The engine's message and hint; other exceptions also become a sentence.
Problem problemFrom(const std::exception_ptr& exception, const QString& title);

/// Text of the engine, of files and of data for the window: characters that control a terminal or
/// change the writing direction become "\u001b", bytes that are not UTF-8 a replacement character.
QString text(std::string_view utf8);

}  // namespace temper::ui

Q_DECLARE_METATYPE(temper::ui::Problem)
