// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>

#include "engine/core/printable.h"

namespace temper {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 280;
constexpr double kLeft = 64;
constexpr double kRight = 12;
constexpr double kTop = 12;
constexpr double kBottom = 40;
constexpr size_t kMaxPoints = 1200;

std::string number(const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string pixels(double value) { return number("%.1f", value); }
std::string label(double value) { return number("%.6g", value); }

bool isFinite(const ChartPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

/// The part of the plane that is shown, never empty.
struct Area {
    double left = 0;
    double right = 1;
    double low = 0;
    double high = 1;

    double x(double value) const {
        return kLeft + (value - left) / (right - left) * (kWidth - kLeft - kRight);
    }
    double y(double value) const {
        return kHeight - kBottom - (value - low) / (high - low) * (kHeight - kTop - kBottom);
    }
};

/// Makes room around a single value.
void widen(double& low, double& high) {
    if (high > low) return;
    const double half = low == 0 ? 0.5 : std::abs(low) * 0.1;
    low -= half;
    high += half;
}

Area areaOf(const std::vector<ChartSeries>& series) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Area area{kInfinity, -kInfinity, kInfinity, -kInfinity};
    for (const ChartSeries& line : series) {
        for (const ChartPoint& point : line.points) {
            if (!isFinite(point)) continue;
            area.left = std::min(area.left, point.x);
            area.right = std::max(area.right, point.x);
            area.low = std::min(area.low, point.y);
            area.high = std::max(area.high, point.y);
        }
    }
    if (!(area.left <= area.right)) return {};
    widen(area.left, area.right);
    widen(area.low, area.high);
    return area;
}

/// The minimum and the maximum of each of kMaxPoints / 2 runs of points.
std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points) {
    if (points.size() <= kMaxPoints) return points;
    std::vector<ChartPoint> result;
    const size_t buckets = kMaxPoints / 2;
    const auto byY = [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; };
    for (size_t i = 0; i < buckets; ++i) {
        const auto begin = points.begin() + static_cast<ptrdiff_t>(i * points.size() / buckets);
        const auto end = points.begin() + static_cast<ptrdiff_t>((i + 1) * points.size() / buckets);
        auto [least, greatest] = std::minmax_element(begin, end, byY);
        if (greatest < least) std::swap(least, greatest);
        result.push_back(*least);
        if (least != greatest) result.push_back(*greatest);
    }
    return result;
}

std::string lineElement(const std::vector<ChartPoint>& points, const Area& area, size_t index) {
    std::string path;
    bool broken = true;
    for (const ChartPoint& point : thinned(points)) {
        if (!isFinite(point)) {
            broken = true;
            continue;
        }
        path += (broken ? "M" : "L") + pixels(area.x(point.x)) + " " + pixels(area.y(point.y));
        broken = false;
    }
    return "<path class=\"line series-" + std::to_string(index) + "\" d=\"" + path + "\"/>\n";
}

/// A line of one or a few points would be invisible.
std::string dotElements(const std::vector<ChartPoint>& points, const Area& area, size_t index) {
    constexpr size_t kFew = 40;
    std::string dots;
    if (points.size() > kFew) return dots;
    for (const ChartPoint& point : points) {
        if (!isFinite(point)) continue;
        dots += "<circle class=\"dot series-" + std::to_string(index) + "\" cx=\"" +
                pixels(area.x(point.x)) + "\" cy=\"" + pixels(area.y(point.y)) + "\" r=\"2.5\"/>\n";
    }
    return dots;
}

std::string text(const char* style, double x, double y, const std::string& content) {
    return std::string("<text class=\"") + style + "\" x=\"" + pixels(x) + "\" y=\"" + pixels(y) +
           "\">" + escapeHtml(content) + "</text>\n";
}

std::string gridLine(double x1, double y1, double x2, double y2) {
    return "<line class=\"grid\" x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" +
           pixels(x2) + "\" y2=\"" + pixels(y2) + "\"/>\n";
}

std::string grid(const Area& area, const std::string& xLabel, char decimalPoint) {
    const auto tickLabel = [decimalPoint](double tick) {
        std::string number = label(tick);
        std::ranges::replace(number, '.', decimalPoint);
        return number;
    };
    std::string svg;
    for (const double tick : niceTicks(area.low, area.high, 5)) {
        const double y = area.y(tick);
        svg += gridLine(kLeft, y, kWidth - kRight, y) +
               text("tick y", kLeft - 6, y + 4, tickLabel(tick));
    }
    for (const double tick : niceTicks(area.left, area.right, 8)) {
        const double x = area.x(tick);
        svg += gridLine(x, kTop, x, kHeight - kBottom) +
               text("tick x", x, kHeight - kBottom + 16, tickLabel(tick));
    }
    return svg + text("axis", (kLeft + kWidth - kRight) / 2, kHeight - 6, xLabel);
}

}  // namespace

std::string escapeHtml(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            case '\'': result += "&#39;"; break;
            default: result += c;
        }
    }
    return result;
}

std::vector<double> niceTicks(double low, double high, int count) {
    const double rough = (high - low) / std::max(count, 1);
    if (!(rough > 0) || !std::isfinite(rough)) return {};
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double ratio = rough / power;
    const double step = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
    std::vector<double> ticks;
    const double first = std::ceil(low / step);
    for (int i = 0; (first + i) * step <= high + step * 1e-9; ++i) {
        ticks.push_back((first + i) * step);
    }
    return ticks;
}

std::string svgLineChart(const std::string& title, const std::string& xLabel,
                         const std::vector<ChartSeries>& series, char decimalPoint) {
    const Area area = areaOf(series);
    std::string svg = "<svg role=\"img\" aria-label=\"" + escapeHtml(title) + "\" viewBox=\"0 0 " +
                      label(kWidth) + " " + label(kHeight) + "\">\n" +
                      grid(area, xLabel, decimalPoint);
    for (size_t i = 0; i < series.size(); ++i) {
        svg += lineElement(series[i].points, area, i) + dotElements(series[i].points, area, i);
    }
    return svg + "</svg>\n";
}

}  // namespace temper
