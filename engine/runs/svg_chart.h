// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace temper {

struct ChartPoint {
    double x = 0;
    double y = 0;
};

/// Points by increasing x; points that are not finite are left out and break the line.
struct ChartSeries {
    std::string name;
    std::vector<ChartPoint> points;
};

/// Text for HTML and SVG: & < > " ' are replaced.
std::string escapeHtml(std::string_view text);

/// A line chart as an <svg> element with grid, ticks and axis labels; lines have the classes
/// "series-0", "series-1", ..., so that a style sheet can colour them. Long series are thinned to
/// the minimum and the maximum of each pixel column, so peaks stay. `decimalPoint`: of the tick
/// labels.
std::string svgLineChart(const std::string& title, const std::string& xLabel,
                         const std::vector<ChartSeries>& series, char decimalPoint = '.');

/// Ticks at 1, 2 or 5 times a power of ten in [low, high], about `count` of them.
std::vector<double> niceTicks(double low, double high, int count);

}  // namespace temper
