// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QImage>

class QColor;
class QCPScatterStyle;
class QCustomPlot;
class QPen;
class QSvgGenerator;

namespace temper::ui {

struct Colors;

/// Background, axes, grid and legend of a plot in the theme's colours; letters a little smaller
/// than `font`.
void stylePlot(QCustomPlot& plot, const Colors& colors, const QFont& font);

/// Draws the plot as sharp as the screen is that it is on, also after it was moved to another one.
void followScreen(QCustomPlot& plot);

/// Lines and markers that differ without colour: this many dashes, then they begin again with
/// another marker.
inline constexpr int kDashPatterns = 6;
/// Pattern 0 is a solid line.
QPen patternPen(const QColor& color, double width, int pattern);
/// Pattern 0 is a disc.
QCPScatterStyle patternMarker(const QColor& color, double size, int pattern);

/// As it is shown, with twice as many pixels each way.
QImage pictureOf(QCustomPlot& plot);
/// With lines and letters. Returns: whether the file could be painted on.
bool paintPlot(QCustomPlot& plot, QSvgGenerator& file);

/// How much thicker lines and markers are than usual: they follow the size of the type.
double lineScale(const QFont& font);

}  // namespace temper::ui
