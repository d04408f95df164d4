// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QImage>

class QColor;
class QCPAxis;
class QCPScatterStyle;
class QCustomPlot;
class QPen;
class QSvgGenerator;

namespace temper::ui {

struct Colors;

/// Background, axes, grid and legend of a plot in the theme's colours; letters slightly smaller
/// than `font`.
void stylePlot(QCustomPlot& plot, const Colors& colors, const QFont& font);

/// Gives the axis ticks for its scale, linear or logarithmic: fewer than usual if their labels
/// would overlap, whatever its range and length become.
void fitTicks(QCPAxis& axis);

/// Draws the plot at the resolution of its screen, also after a move to another screen.
void followScreen(QCustomPlot& plot);

/// Number of dash patterns that distinguish lines without colour; then they repeat with another
/// marker.
inline constexpr int kDashPatterns = 6;
/// Pattern 0 is a solid line.
QPen patternPen(const QColor& color, double width, int pattern);
/// Pattern 0 is a disc.
QCPScatterStyle patternMarker(const QColor& color, double size, int pattern);

/// The plot as shown, with twice the pixels in each direction.
QImage pictureOf(QCustomPlot& plot);
/// Paints lines and letters as vectors. Returns: whether painting succeeded.
bool paintPlot(QCustomPlot& plot, QSvgGenerator& file);

/// Scale factor of lines and markers, which follow the font size.
double lineScale(const QFont& font);

}  // namespace temper::ui
