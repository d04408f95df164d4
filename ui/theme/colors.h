// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>
#include <array>

namespace temper::ui {

inline constexpr int kSeriesColors = 7;

/// The colours of a theme beyond the roles of QPalette.
struct Colors {
    bool isDark = false;
    QColor window;     ///< behind everything
    QColor surface;    ///< cards, tables, plots
    QColor raised;     ///< headers, hovered things
    QColor border;     ///< hairlines
    QColor text;       ///< body text
    QColor muted;      ///< captions, axis labels
    QColor accent;     ///< selection, primary buttons
    QColor onAccent;   ///< text on accent
    QColor good;       ///< done, verified
    QColor attention;  ///< something to look at
    QColor bad;        ///< errors
    /// For curves and categories; distinguishable with any colour vision (Okabe and Ito).
    std::array<QColor, kSeriesColors> series;
};

/// The colours that belong to a palette made by themePalette(), light or dark.
const Colors& colorsOf(const QPalette& palette);
/// Those of the application's palette.
const Colors& currentColors();
const Colors& lightColors();
const Colors& darkColors();

/// The colour of a curve; indices beyond the last colour wrap around.
const QColor& seriesColor(const Colors& colors, int index);

/// `amount` of `over` (0 to 1) laid over `under`.
QColor blend(const QColor& under, const QColor& over, double amount);

}  // namespace temper::ui
