// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_series.h"

#include <qcustomplot.h>

#include <cmath>
#include <limits>

#include "ui/plots/plot_style.h"
#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

constexpr qsizetype kMarkersOfALine = 12;

void widen(std::optional<DrawnRange>& range, double value) {
    if (!range) range = DrawnRange{value, value};
    range->lower = std::min(range->lower, value);
    range->upper = std::max(range->upper, value);
}

/// A non-finite value leaves a gap.
double drawable(double value) {
    return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

QCPGraph* addHidden(QCustomPlot& plot) {
    QCPGraph* graph = plot.addGraph();
    graph->removeFromLegend();
    graph->setPen(Qt::NoPen);
    return graph;
}

}  // namespace

PlotSeries::PlotSeries(QCustomPlot& plot, const QString& name, SeriesStyle style, int color,
                       int pattern)
    : style_(style), color_(color), pattern_(pattern) {
    if (style_ == SeriesStyle::Envelope) {
        low_ = addHidden(plot);
        high_ = addHidden(plot);
        high_->setChannelFillGraph(low_);
    }
    line_ = plot.addGraph();
    line_->setName(name);
    line_->setAdaptiveSampling(true);
    if (name.isEmpty()) line_->removeFromLegend();
    summary_.name = name;
}

void PlotSeries::setCurve(const Curve& curve, const std::optional<DrawnRange>& view,
                          size_t maximum) {
    std::vector<CurveBucket> part;
    if (view) part = curve.bucketsBetween(view->lower, view->upper);
    const std::vector<CurveBucket>& buckets = view ? part : curve.buckets();
    count_ = static_cast<int>(buckets.size());
    draw(buckets, buckets.size() / std::max<size_t>(1, maximum) + 1);
    summary_.points = curve.points().size();
    summary_.minimum = curve.minimum();
    summary_.maximum = curve.maximum();
    summary_.first = summary_.last = std::nullopt;
    if (curve.isEmpty()) return;
    summary_.first = curve.points().front();
    summary_.last = curve.points().back();
}

void PlotSeries::draw(const std::vector<CurveBucket>& buckets, size_t together) {
    QVector<QCPGraphData> line, low, high;
    bool isBand = false;
    y_.reset();
    positiveY_.reset();
    for (size_t i = 0; i < buckets.size(); i += together) {
        CurveBucket bucket = buckets[i];
        for (size_t j = i + 1; j < std::min(i + together, buckets.size()); ++j)
            bucket = {buckets[j].x, std::min(bucket.minimum, buckets[j].minimum),
                      std::max(bucket.maximum, buckets[j].maximum), buckets[j].last};
        note(bucket.minimum);
        note(bucket.maximum);
        line.append({bucket.x, drawable(bucket.last)});
        if (low_ == nullptr) continue;
        isBand = isBand || bucket.minimum != bucket.maximum;
        low.append({bucket.x, drawable(bucket.minimum)});
        high.append({bucket.x, drawable(bucket.maximum)});
    }
    line_->data()->set(line, true);
    if (hasFewMarkers()) line_->setScatterSkip(static_cast<int>(line.size() / kMarkersOfALine));
    if (low_ != nullptr) {
        low_->data()->set(low, true);
        high_->data()->set(high, true);
        line_->setVisible(!isBand);
        high_->setVisible(isBand);
    }
}

/// True for patterns beyond the dash patterns.
bool PlotSeries::hasFewMarkers() const {
    return style_ == SeriesStyle::Line && pattern_ >= kDashPatterns;
}

void PlotSeries::note(double value) {
    if (!std::isfinite(value)) return;
    widen(y_, value);
    if (value > 0) widen(positiveY_, value);
}

std::optional<DrawnRange> PlotSeries::xRange() const {
    if (!summary_.first) return std::nullopt;
    return DrawnRange{summary_.first->x, summary_.last->x};
}

std::optional<DrawnRange> PlotSeries::yRange(bool logarithmic) const {
    return logarithmic ? positiveY_ : y_;
}

std::optional<Curve::Point> PlotSeries::nearest(double x) const {
    const auto data = line_->data();
    if (data->isEmpty()) return std::nullopt;
    auto point = data->findBegin(x, true);
    const auto next = point + 1;
    if (next != data->constEnd() && std::abs(next->key - x) < std::abs(point->key - x)) ++point;
    return Curve::Point{point->key, point->value};
}

QPixmap PlotSeries::sample(int width, int height, const QWidget& on) const {
    const double ratio = on.devicePixelRatioF();
    QPixmap picture((QSizeF(width, height) * ratio).toSize());
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QCPPainter painter(&picture);
    painter.setAntialiasing(true);
    painter.setPen(line_->pen());
    painter.drawLine(QLineF(0, 0.5 * height, width, 0.5 * height));
    const QCPScatterStyle& marker = line_->scatterStyle();
    if (marker.isNone()) return picture;
    marker.applyTo(&painter, line_->pen());
    marker.drawShape(&painter, 0.5 * width, 0.5 * height);
    return picture;
}

void PlotSeries::applyColors(const Colors& colors, double scale) {
    const QColor& color = seriesColor(colors, color_);
    switch (style_) {
        case SeriesStyle::Envelope:
            line_->setPen(QPen(blend(colors.surface, color, 0.35), scale));
            high_->setBrush(blend(colors.surface, color, 0.3));
            break;
        case SeriesStyle::Line:
            line_->setPen(patternPen(color, 2 * scale, pattern_));
            if (hasFewMarkers())
                line_->setScatterStyle(patternMarker(color, 7 * scale, pattern_ - kDashPatterns));
            break;
        case SeriesStyle::Ghost: line_->setPen(QPen(colors.muted, scale, Qt::DashLine)); break;
        case SeriesStyle::Marked:
            line_->setPen(patternPen(color, 1.5 * scale, pattern_ + 1));
            line_->setScatterStyle(patternMarker(color, 5 * scale, pattern_));
            break;
    }
}

}  // namespace temper::ui
