// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/parallel_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "engine/runs/svg_chart.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

constexpr double kLogSpan = 100;
constexpr size_t kMaxCategories = 12;
constexpr double kNoPlace = std::numeric_limits<double>::quiet_NaN();

bool isCompared(RunColumn::Kind kind) {
    return kind == RunColumn::Kind::Setting || kind == RunColumn::Kind::Metric ||
           kind == RunColumn::Kind::Duration;
}

std::optional<ParallelAxis> axisOfNumbers(const RunTableModel& runs, const RunColumn& column) {
    ParallelAxis axis{column.key, column.title};
    std::vector<double> values;
    axis.low = std::numeric_limits<double>::infinity();
    axis.high = -axis.low;
    for (int row = 0; row < runs.rowCount(); ++row) {
        values.push_back(column.numbers[runs.tableRow(row)]);
        if (!std::isfinite(values.back())) continue;
        axis.low = std::min(axis.low, values.back());
        axis.high = std::max(axis.high, values.back());
    }
    if (!(axis.low < axis.high)) return std::nullopt;
    axis.isLog = axis.low > 0 && axis.high / axis.low > kLogSpan;
    for (const double value : values)
        axis.places.push_back(std::isfinite(value) ? axis.placeOf(value) : kNoPlace);
    return axis;
}

std::optional<ParallelAxis> axisOfTexts(const RunTableModel& runs, const RunColumn& column) {
    std::set<QString> found;
    for (int row = 0; row < runs.rowCount() && found.size() <= kMaxCategories; ++row)
        found.insert(column.texts[runs.tableRow(row)]);
    if (found.size() < 2 || found.size() > kMaxCategories) return std::nullopt;
    ParallelAxis axis{column.key, column.title};
    axis.categories.assign(found.begin(), found.end());
    axis.high = static_cast<double>(found.size() - 1);
    for (int row = 0; row < runs.rowCount(); ++row) {
        const auto place =
            std::ranges::lower_bound(axis.categories, column.texts[runs.tableRow(row)]);
        axis.places.push_back(axis.placeOf(static_cast<double>(place - axis.categories.begin())));
    }
    return axis;
}

}  // namespace

double ParallelAxis::placeOf(double value) const {
    if (isLog) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
}

std::vector<AxisTick> ParallelAxis::ticks(int count) const {
    std::vector<AxisTick> found;
    for (size_t i = 0; i < categories.size(); ++i)
        found.push_back({placeOf(static_cast<double>(i)),
                         categories[i].isEmpty() ? QStringLiteral("–") : categories[i]});
    if (!categories.empty()) return found;
    std::vector<double> values;
    if (isLog) {
        for (double power = std::pow(10.0, std::ceil(std::log10(low))); power <= high; power *= 10)
            values.push_back(power);
    } else {
        values = niceTicks(low, high, count);
    }
    for (const double value : values) found.push_back({placeOf(value), decimalText(value, 'g', 4)});
    return found;
}

std::vector<ParallelAxis> parallelAxes(const RunTableModel& runs) {
    std::vector<ParallelAxis> axes;
    for (int i = 0; i < runs.columnCount(); ++i) {
        const RunColumn& column = runs.column(i);
        if (!isCompared(column.kind)) continue;
        auto axis =
            column.numbers.empty() ? axisOfTexts(runs, column) : axisOfNumbers(runs, column);
        if (axis) axes.push_back(std::move(*axis));
    }
    std::ranges::stable_sort(axes, {}, [&runs](const ParallelAxis& axis) {
        const RunColumn::Kind kind = runs.kindOf(axis.key);
        return kind == RunColumn::Kind::Setting ? 0 : kind == RunColumn::Kind::Duration ? 1 : 2;
    });
    return axes;
}

}  // namespace temper::ui
