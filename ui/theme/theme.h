// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QString>

class QApplication;
class QWidget;

namespace temper::ui {

struct Colors;

enum class ThemeMode { System, Light, Dark };

/// "system", "light", "dark": for the settings.
QString themeKey(ThemeMode mode);
ThemeMode themeFromKey(const QString& key);

QPalette themePalette(const Colors& colors);
/// `typeScale`: of the sizes of type that the sheet sets.
QString themeStyleSheet(const Colors& colors, double typeScale = 1);

/// Whether applyTheme() would take the dark colours.
bool isDarkTheme(ThemeMode mode, const QPalette& system);

/// Fusion with our palette and stylesheet. `system` is the palette that the desktop gave at the
/// start; it decides for ThemeMode::System.
void applyTheme(QApplication& application, ThemeMode mode, const QPalette& system,
                double typeScale = 1);
/// Whether applyTheme() takes a style in which nothing moves by itself.
void setCalm(QApplication& application, bool isCalm);
bool isCalm(const QApplication& application);
/// The desktop's palette as it is now, whatever the theme; apply the theme again afterwards.
QPalette desktopPalette();

/// Lengths follow the font: `factor` times the height of a line of text.
int em(const QWidget* widget, double factor = 1.0);

}  // namespace temper::ui
