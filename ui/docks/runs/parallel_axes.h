// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace temper::ui {

class RunTableModel;

/// A mark at an axis.
struct AxisTick {
    double place = 0;  ///< from 0 at the lower end to 1
    QString text;
};

/// An axis of parallel coordinates: one value of every run.
struct ParallelAxis {
    QString key;  ///< RunColumn::key
    QString title;
    bool isLog = false;
    double low = 0;  ///< the value at the lower end, and
    double high = 1;
    std::vector<QString> categories{};  ///< of a text axis, from the lower end
    std::vector<double> places{};       ///< of each row of the model, in [0, 1]; NaN: no value

    /// About `count` ticks; every category has one.
    std::vector<AxisTick> ticks(int count) const;
    double placeOf(double value) const;
};

/// Axes of the settings and results in which the runs shown by the model differ: settings, then
/// duration, then metrics. Numbers that are all positive and span more than two decades get a
/// logarithmic axis; texts get an axis with a place for each, if there are not too many.
std::vector<ParallelAxis> parallelAxes(const RunTableModel& runs);

}  // namespace temper::ui
