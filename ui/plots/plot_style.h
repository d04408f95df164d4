// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

class QCustomPlot;

namespace temper::ui {

struct Colors;

/// Background, axes, grid and legend of a plot in the theme's colours; letters a little smaller
/// than `font`.
void stylePlot(QCustomPlot& plot, const Colors& colors, const QFont& font);

/// Draws the plot as sharp as the screen is that it is on, also after it was moved to another one.
void followScreen(QCustomPlot& plot);

/// How much thicker lines and markers are than usual: they follow the size of the type.
double lineScale(const QFont& font);

}  // namespace temper::ui
