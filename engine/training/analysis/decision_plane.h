// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/training/analysis/predictor.h"

namespace temper {

/// A rectangle in the plane of two features, in the units of the data's source.
struct PlaneRange {
    double left = 0;
    double right = 1;
    double bottom = 0;
    double top = 1;

    bool operator==(const PlaneRange&) const = default;
};

/// Scales the two features as the model was trained:
/// (value - mean) / deviation.
struct PlaneScale {
    std::array<double, 2> mean = {0, 0};
    std::array<double, 2> deviation = {1, 1};
};

/// The output of a model on a grid over a part of the plane.
struct DecisionPlane {
    PlaneRange range;
    int64_t columns = 0;
    int64_t rows = 0;
    int64_t outputs = 0;        ///< per point
    std::vector<float> values;  ///< as Predictor::probabilities(). Shape: [rows, columns, outputs]
};

/// Whether the model has one input of two features: [N, 2].
bool readsPlane(const Predictor& predictor);

/// The output of the model for points, given as alternating x and y in the units of the source, as
/// Predictor::probabilities(). `cancelled` is polled now and then; the rest is then 0.
/// Shape: [points, outputs]. Throws: Error(Unsupported) if readsPlane() is false or the model gives
/// more than one answer per point.
Tensor predictPoints(Predictor& predictor, std::span<const double> points, const PlaneScale& scale,
                     const std::function<bool()>& cancelled = {});

/// The same at the centres of a grid's cells; the first row is at the top, as in a picture.
DecisionPlane decisionPlane(Predictor& predictor, const PlaneRange& range, int64_t columns,
                            int64_t rows, const PlaneScale& scale,
                            const std::function<bool()>& cancelled = {});

}  // namespace temper
