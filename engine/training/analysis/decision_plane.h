// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/training/analysis/predictor.h"

namespace temper {

/// A rectangle of the plane that two features span, in the units of the data's source.
struct PlaneRange {
    double left = 0;
    double right = 1;
    double bottom = 0;
    double top = 1;

    bool operator==(const PlaneRange&) const = default;
};

/// How the two features are brought to the scale that the model was trained on:
/// (value - mean) / deviation.
struct PlaneScale {
    std::array<double, 2> mean = {0, 0};
    std::array<double, 2> deviation = {1, 1};
};

/// What a model says on a grid over a part of the plane.
struct DecisionPlane {
    PlaneRange range;
    int64_t columns = 0;
    int64_t rows = 0;
    int64_t outputs = 0;        ///< of each point
    std::vector<float> values;  ///< as Predictor::probabilities(). Shape: [rows, columns, outputs]
};

/// True where the model has one input, of two features: [N, 2].
bool readsPlane(const Predictor& predictor);

/// What the model says of points, x and y in turns in the units of the source, as
/// Predictor::probabilities() does. `cancelled` is asked now and then; the rest is 0 then.
/// Shape: [points, outputs]. Throws: Error(Unsupported) where readsPlane() is false or the model
/// gives more than one answer for each point.
Tensor predictPoints(Predictor& predictor, std::span<const double> points, const PlaneScale& scale,
                     const std::function<bool()>& cancelled = {});

/// The same at the centres of a grid's cells; the first row is at the top, as in a picture.
DecisionPlane decisionPlane(Predictor& predictor, const PlaneRange& range, int64_t columns,
                            int64_t rows, const PlaneScale& scale,
                            const std::function<bool()>& cancelled = {});

}  // namespace temper
