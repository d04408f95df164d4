// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QString>

class QApplication;
class QWidget;

namespace temper::ui {

struct Colors;

enum class ThemeMode { System, Light, Dark };

/// "system", "light", "dark": as stored in the settings.
QString themeKey(ThemeMode mode);
ThemeMode themeFromKey(const QString& key);

QPalette themePalette(const Colors& colors);
/// `typeScale`: factor of the font sizes that the sheet sets.
QString themeStyleSheet(const Colors& colors, double typeScale = 1);

/// Whether applyTheme() would use the dark colours.
bool isDarkTheme(ThemeMode mode, const QPalette& system);

/// Fusion with our palette and stylesheet. `system`: the palette of the desktop at the start;
/// decides for ThemeMode::System.
void applyTheme(QApplication& application, ThemeMode mode, const QPalette& system,
                double typeScale = 1);
/// Sets whether applyTheme() uses a style without animations.
void setCalm(QApplication& application, bool isCalm);
bool isCalm(const QApplication& application);
/// The desktop's palette at present, whatever the theme; apply the theme again afterwards.
QPalette desktopPalette();

/// Lengths follow the font: `factor` times the height of a line of text.
int em(const QWidget* widget, double factor = 1.0);

}  // namespace temper::ui
