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
    Envelope,  ///< thin and pale; where points are drawn together, the band that they lie in
    Line,      ///< strong
    Marked,    ///< dashed, with a marker at each point: few values
    Ghost,     ///< thin, dashed and grey: what to compare with
};

/// What a table says of a curve.
struct SeriesSummary {
    QString name;
    size_t points = 0;
    std::optional<Curve::Point> first, last, minimum, maximum;
};

/// A range of numbers that were drawn.
struct DrawnRange {
    double lower = 0;
    double upper = 0;
};

/// A curve in a QCustomPlot.
class PlotSeries {
public:
    /// `pattern`: of dashes and markers, so that curves of one plot differ without colour.
    PlotSeries(QCustomPlot& plot, const QString& name, SeriesStyle style, int color,
               int pattern = 0);

    /// Copies what is drawn of the curve: all of it, or what lies in `view`, as about `maximum`
    /// points at most.
    void setCurve(const Curve& curve, const std::optional<DrawnRange>& view, size_t maximum);
    /// `scale`: of lines and markers.
    void applyColors(const Colors& colors, double scale);

    /// A piece of it, of this size in pixels of the widget that shows it.
    QPixmap sample(int width, int height, const QWidget& on) const;

    const SeriesSummary& summary() const { return summary_; }
    int color() const { return color_; }
    /// Before points were drawn together for want of room.
    int pointCount() const { return count_; }
    std::optional<DrawnRange> xRange() const;
    /// Of finite values, only the positive ones where `logarithmic`.
    std::optional<DrawnRange> yRange(bool logarithmic) const;
    /// The drawn point whose x is nearest; a bucket's latest value.
    std::optional<Curve::Point> nearest(double x) const;

private:
    void draw(const std::vector<CurveBucket>& buckets, size_t together);
    void note(double value);
    /// Markers of a line stand far apart.
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
