// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

class QCoreApplication;
class QSettings;

namespace temper::ui {

/// A language that the window speaks.
struct Language {
    QString code;  ///< "de"
    QString name;  ///< in itself: "Deutsch"
};

/// Those whose translations are part of the program, by code.
std::vector<Language> languages();

/// The chosen language, or empty: that of the desktop.
QString chosenLanguage(const QSettings& settings);
void chooseLanguage(QSettings& settings, const QString& code);

/// The language that is shown where `chosen` was chosen: English where there is no other.
QString shownLanguage(const QString& chosen);

/// Makes texts, Qt's own buttons and dialogs, numbers and dates appear in the chosen language.
/// In place of the language that was installed before. Widgets that are there keep their texts.
void installLanguage(QCoreApplication& application, const QString& chosen);

}  // namespace temper::ui
