// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/data/dataset.h"

namespace temper::ui {

class StudioProject;

/// How the response of a unit is pictured.
enum class ResponsePicture {
    Curve,    ///< one feature: the response over its range
    Plane,    ///< two features: over their plane
    Image,    ///< pixels: what excites it, see excitingDirections()
    Profile,  ///< other samples: the same, by element
};

/// A net that is small enough to show every unit: which columns of the data it reads.
struct SmallNet {
    std::string features;
    std::string target;
    std::vector<int64_t> units;  ///< of the hidden layers

    bool operator==(const SmallNet&) const = default;
};

/// No value if the model has several inputs, takes a fixed number of samples, does not end in fully
/// connected layers, or has too many units.
std::optional<SmallNet> smallNet(const StudioProject& project);

/// The part that does not change while a model trains. Immutable.
struct NetData {
    ResponsePicture picture = ResponsePicture::Profile;
    Tensor samples;                                ///< float32, [N, ...], as the model reads them
    std::vector<std::pair<double, double>> range;  ///< by feature, with a margin
    QStringList features;                          ///< names of the elements
    QStringList classes;                           ///< as named by the data; empty if not named
};

/// Reads up to some hundred samples. Throws: Error if they can't be read.
std::shared_ptr<const NetData> readNetData(const Dataset& data, const SmallNet& net);

}  // namespace temper::ui
