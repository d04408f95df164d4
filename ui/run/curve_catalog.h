// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "ui/run/curve.h"

namespace temper::ui {

class RunModel;

/// A curve of a run that can be chosen by its key.
struct CurveEntry {
    QString key;    ///< stable: "loss", "metric/accuracy", "layer/weight_norm/conv1.weight"
    QString group;  ///< the heading in the list: "Loss", "Metrics", a parameter
    QString title;
    bool isOfLayer = false;
    bool hasFewPoints = false;  ///< each must be visible
};

/// All curves that the run has, or will have.
std::vector<CurveEntry> curvesOf(const RunModel& run);

/// The curve of a key; an empty one if the run has none. The run's own curves are valid only while
/// it exists.
std::shared_ptr<const Curve> curveOf(const RunModel& run, const QString& key);

}  // namespace temper::ui
