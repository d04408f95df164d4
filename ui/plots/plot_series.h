// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPixmap>
#include <QString>
#include <optional>

#include "ui/run/curve.h"

class QCustomPlot;
class QCPGraph;
class QWidget;

namespace temper::ui {

struct Colors;

enum class SeriesStyle {
    Envelope,  ///< thin and pale; if points are merged, their band
    Line,      ///< strong
    Marked,    ///< dashed, with a marker at each point: few values
    Ghost,     ///< thin, dashed and grey: for comparison
};

/// The row of a curve in a table.
struct SeriesSummary {
    QString name;
    size_t points = 0;
    std::optional<Curve::Point> first, last, minimum, maximum;
};

/// A range of drawn numbers.
struct DrawnRange {
    double lower = 0;
    double upper = 0;
};

/// A curve in a QCustomPlot.
class PlotSeries {
public:
    /// `pattern`: dashes and markers that distinguish the curves of a plot without colour.
    PlotSeries(QCustomPlot& plot, const QString& name, SeriesStyle style, int color,
               int pattern = 0);

    /// Copies the drawn part of the curve: all of it, or the part in `view`, as at most about
    /// `maximum` points.
    void setCurve(const Curve& curve, const std::optional<DrawnRange>& view, size_t maximum);
    /// `scale`: of lines and markers.
    void applyColors(const Colors& colors, double scale);

    /// A sample of it, in this size in pixels of the widget that shows it.
    QPixmap sample(int width, int height, const QWidget& on) const;

    const SeriesSummary& summary() const { return summary_; }
    int color() const { return color_; }
    /// Number of points before merging for lack of room.
    int pointCount() const { return count_; }
    std::optional<DrawnRange> xRange() const;
    /// Range of the finite values; only the positive ones if `logarithmic`.
    std::optional<DrawnRange> yRange(bool logarithmic) const;
    /// The drawn point with the nearest x; the latest value of a bucket.
    std::optional<Curve::Point> nearest(double x) const;

private:
    void draw(const std::vector<CurveBucket>& buckets, size_t together);
    void note(double value);
    /// Whether the markers of a line are far apart.
    bool hasFewMarkers() const;

    SeriesStyle style_;
    int color_;
    int pattern_;
    int count_ = 0;
    QCPGraph* line_;
    QCPGraph* low_ = nullptr;  ///< of the band
    QCPGraph* high_ = nullptr;
    SeriesSummary summary_;
    std::optional<DrawnRange> y_, positiveY_;
};

}  // namespace temper::ui
