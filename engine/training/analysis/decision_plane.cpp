// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/decision_plane.h"

#include <algorithm>

namespace temper {
namespace {

/// Points per pass if the model does not prescribe it. All passes have the same size, so one
/// execution plan serves them.
constexpr int64_t kPoints = 2048;

void requirePlane(const Predictor& predictor) {
    if (readsPlane(predictor)) return;
    throw Error(ErrorCode::Unsupported, "The model has inputs other than two features.",
                "A decision plane needs a model with one input of shape [N, 2].");
}

/// The points from `begin` on, scaled; the last one is repeated to fill the pass.
Tensor passInput(std::span<const double> points, int64_t begin, int64_t size, DType dtype,
                 const PlaneScale& scale) {
    Tensor input(DType::Float64, {size, 2});
    double* out = input.mutableValues<double>().data();
    const auto last = static_cast<int64_t>(points.size()) / 2 - 1;
    for (int64_t i = 0; i < size; ++i) {
        const int64_t point = std::min(begin + i, last);
        for (size_t k = 0; k < 2; ++k)
            *out++ =
                (points[static_cast<size_t>(2 * point) + k] - scale.mean[k]) / scale.deviation[k];
    }
    return input.cast(dtype);
}

}  // namespace

bool readsPlane(const Predictor& predictor) {
    if (predictor.inputNames().size() != 1) return false;
    const ValueType type = predictor.inputType(predictor.inputNames().front());
    if (!type.shape || type.shape->size() != 2) return false;
    const Dim& features = type.shape->back();
    return features.isNumber() && features.value == 2;
}

Tensor predictPoints(Predictor& predictor, std::span<const double> points, const PlaneScale& scale,
                     const std::function<bool()>& cancelled) {
    requirePlane(predictor);
    const auto count = static_cast<int64_t>(points.size() / 2);
    const ValueType type = predictor.inputType(predictor.inputNames().front());
    const Dim& batch = type.shape->front();
    const int64_t size = batch.isNumber() ? batch.value : std::min(kPoints, count);
    Tensor all(DType::Float32, {0, 0});
    for (int64_t begin = 0; begin < count; begin += size) {
        if (cancelled && cancelled()) break;
        const std::vector<Tensor> inputs = {passInput(points, begin, size, type.dtype, scale)};
        const Tensor said = predictor.probabilities(inputs);
        if (said.shape()[0] != size)
            throw Error(ErrorCode::Unsupported,
                        "The model does not give one prediction per point.");
        const int64_t outputs = said.shape()[1];
        if (begin == 0) all = Tensor(DType::Float32, {count, outputs});
        const int64_t rows = std::min(size, count - begin);
        std::copy_n(said.values<float>().begin(), rows * outputs,
                    all.mutableValues<float>().begin() + begin * outputs);
    }
    return all;
}

DecisionPlane decisionPlane(Predictor& predictor, const PlaneRange& range, int64_t columns,
                            int64_t rows, const PlaneScale& scale,
                            const std::function<bool()>& cancelled) {
    std::vector<double> points;
    points.reserve(static_cast<size_t>(2 * columns * rows));
    const double width = (range.right - range.left) / static_cast<double>(columns);
    const double height = (range.top - range.bottom) / static_cast<double>(rows);
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
            points.push_back(range.left + (static_cast<double>(column) + 0.5) * width);
            points.push_back(range.top - (static_cast<double>(row) + 0.5) * height);
        }
    }
    const Tensor said = predictPoints(predictor, points, scale, cancelled);
    return {range,
            columns,
            rows,
            said.shape()[1],
            {said.values<float>().begin(), said.values<float>().end()}};
}

}  // namespace temper
