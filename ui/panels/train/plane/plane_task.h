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

/// Which columns of the data are the plane, and which one says what is right.
struct PlaneColumns {
    std::string features;
    std::string target;

    bool operator==(const PlaneColumns&) const = default;
};

/// Nothing where the model reads anything but two features, or is to say more than one number.
std::optional<PlaneColumns> planeColumns(const Preparation& preparation);

/// Samples of one part of the data, in the units of the source.
struct PlaneSamples {
    std::vector<double> points;   ///< x and y in turns
    std::vector<double> targets;  ///< index of a class, or a number

    size_t size() const { return targets.size(); }
};

/// What does not change while a model trains. Never changed.
struct PlaneData {
    PlaneSamples training, validation;
    std::array<QString, 2> axes;
    QStringList classes;  ///< as the data names them; empty where it does not
    PlaneScale scale;
    PlaneRange range;  ///< all samples and some room around them
    /// Of targets that are numbers: where the upper half begins, and how far the ends are from it.
    double middle = 0;
    double half = 1;
    bool hasTwoTargets = false;
};

/// Of one class: how many of its samples lie where the model decides for it.
struct PlaneShare {
    QString name;
    int64_t samples = 0;
    int64_t right = 0;
};

/// A look at the plane. Never changed.
struct PlaneLook {
    std::shared_ptr<const PlaneData> data;
    PlaneSurface surface;
    std::vector<float> said;  ///< of each cell: probability of its class, or the number
    QStringList classes;
    bool isOfNumbers = false;
    int64_t step = 0;
    std::vector<PlaneShare> training, validation;  ///< by class
    std::vector<PlanePoints> points;               ///< validation is hollow
    double seconds = 0;                            ///< that it took
};

struct PlaneRequest {
    Weights weights;
    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<const LoadedData> source;
    PlaneColumns columns;
    std::shared_ptr<const PlaneData> data;  ///< of before; null: it is read from `source`
    std::optional<PlaneRange> range;        ///< nothing: all samples
    int side = 128;                         ///< cells in each direction
    bool isIdle = true;                     ///< only when nobody else wants the processor
};

/// Takes milliseconds to seconds. Throws: Error where the model can't be shown so.
std::shared_ptr<const PlaneLook> lookAtPlane(const PlaneRequest& request, std::stop_token stop);

/// Colours of classes as indices of Colors::series: classes that are called by a colour have it.
std::vector<int> planeColors(const QStringList& classes);

}  // namespace temper::ui
