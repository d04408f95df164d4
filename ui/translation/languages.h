// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

class QCoreApplication;
class QSettings;

namespace temper::ui {

/// A language of the window.
struct Language {
    QString code;  ///< "de"
    QString name;  ///< in itself: "Deutsch"
};

/// The languages with translations in the program, by code.
std::vector<Language> languages();

/// The chosen language, or empty: that of the desktop.
QString chosenLanguage(const QSettings& settings);
void chooseLanguage(QSettings& settings, const QString& code);

/// The language shown for the choice `chosen`: English if there is no other.
QString shownLanguage(const QString& chosen);

/// Makes texts, Qt's own buttons and dialogs, numbers and dates appear in the chosen language.
/// Replaces the language installed before. Existing widgets keep their texts.
void installLanguage(QCoreApplication& application, const QString& chosen);

}  // namespace temper::ui
