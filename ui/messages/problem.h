// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>
#include <exception>
#include <string_view>

namespace temper::ui {

/// What a person is told when something could not be done: what, why, and what to do.
struct Problem {
    QString title;             ///< "The model could not be opened"
    QString message;           ///< one sentence
    QString hint;              ///< may be empty
    bool isCancelled = false;  ///< nothing went wrong: somebody ended it
    QString details = {};      ///< all that is known, for reports; may be empty

    bool isEmpty() const { return message.isEmpty(); }
};

/// The engine's message and hint; other exceptions become a sentence, too.
Problem problemFrom(const std::exception_ptr& exception, const QString& title);

/// Text of the engine, of files and of data for the window: what controls a terminal or turns the
/// direction of writing is shown as "\u001b", bytes that are no UTF-8 as a replacement.
QString text(std::string_view utf8);

}  // namespace temper::ui

Q_DECLARE_METATYPE(temper::ui::Problem)
