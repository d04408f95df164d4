// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/training/analysis/decision_plane.h"
#include "ui/document/preparation.h"
#include "ui/panels/evaluate/weight_source.h"
#include "ui/plots/plane_plot.h"

namespace temper::ui {

/// Which columns of the data are the plane, and which one is the target.
struct PlaneColumns {
    std::string features;
    std::string target;

    bool operator==(const PlaneColumns&) const = default;
};

/// No value if the model reads anything but two features, or predicts more than one number.
std::optional<PlaneColumns> planeColumns(const Preparation& preparation);

/// Samples of one part of the data, in the units of the source.
struct PlaneSamples {
    std::vector<double> points;   ///< x and y alternating
    std::vector<double> targets;  ///< index of a class, or a number

    size_t size() const { return targets.size(); }
};

/// The part that does not change while a model trains. Immutable.
struct PlaneData {
    PlaneSamples training, validation;
    std::array<QString, 2> axes;
    QStringList classes;  ///< as named by the data; empty if not named
    PlaneScale scale;
    PlaneRange range;  ///< all samples with a margin
    /// For numeric targets: the start of the upper half, and the distance of the ends from it.
    double middle = 0;
    double half = 1;
    bool hasTwoTargets = false;
};

/// For one class: how many of its samples the model assigns to it.
struct PlaneShare {
    QString name;
    int64_t samples = 0;
    int64_t right = 0;
};

/// An evaluation of the plane. Immutable.
struct PlaneLook {
    std::shared_ptr<const PlaneData> data;
    PlaneSurface surface;
    std::vector<float> said;  ///< by cell: probability of its class, or the number
    QStringList classes;
    bool isOfNumbers = false;
    int64_t step = 0;
    std::vector<PlaneShare> training, validation;  ///< by class
    std::vector<PlanePoints> points;               ///< validation is hollow
};

struct PlaneRequest {
    Weights weights;
    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<const LoadedData> source;
    PlaneColumns columns;
    std::shared_ptr<const PlaneData> data;  ///< from before; null: read from `source`
    std::optional<PlaneRange> range;        ///< no value: all samples
    int side = 128;                         ///< cells in each direction
};

/// Takes milliseconds to seconds. Throws: Error if the model can't be shown this way.
std::shared_ptr<const PlaneLook> lookAtPlane(const PlaneRequest& request,
                                             const std::stop_token& stop);

/// Colours of classes as indices of Colors::series: classes named after a colour get it.
std::vector<int> planeColors(const QStringList& classes);

}  // namespace temper::ui
