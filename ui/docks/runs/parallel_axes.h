// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace temper::ui {

class RunTableModel;

/// A mark at an axis.
struct AxisTick {
    double place = 0;  ///< 0 at the lower end to 1
    QString text;
};

/// An axis of parallel coordinates: one value of every run.
struct ParallelAxis {
    QString key;  ///< RunColumn::key
    QString title;
    bool isLog = false;
    double low = 0;  ///< the value at the lower end, and
    double high = 1;
    std::vector<QString> categories{};  ///< of an axis of texts, from the lower end
    std::vector<double> places{};  ///< of each row of the model, in [0, 1]; NaN: it has no value

    /// About `count` of them; every category has one.
    std::vector<AxisTick> ticks(int count) const;
    double placeOf(double value) const;
};

/// Axes of the settings and results in which the runs that the model shows differ: settings, then
/// how long it took, then metrics. Numbers that are all positive and span more than two decades
/// have a logarithmic axis; texts one with a place for each, where there are not too many.
std::vector<ParallelAxis> parallelAxes(const RunTableModel& runs);

}  // namespace temper::ui
