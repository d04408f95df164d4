// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/net/net_look.h"

#include <algorithm>
#include <cmath>

#include "engine/training/analysis/unit_probe.h"
#include "ui/messages/problem.h"
#include "ui/tensor_view/value_colors.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// More features are shown together.
constexpr size_t kMaxFeatures = 8;
constexpr int kCurvePoints = 64;

/// Points between the ends of a range, at the centres of equal parts.
double pointOf(const std::pair<double, double>& range, int at, int count) {
    return range.first + (at + 0.5) * (range.second - range.first) / count;
}

/// Samples that cover the range of one or two features: [points, features].
Tensor coveringSamples(const NetData& data, int side) {
    const bool isPlane = data.picture == ResponsePicture::Plane;
    const int rows = isPlane ? side : 1, columns = isPlane ? side : kCurvePoints;
    Tensor samples(DType::Float32, {int64_t{rows} * columns, isPlane ? 2 : 1});
    float* out = samples.mutableValues<float>().data();
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            *out++ = static_cast<float>(pointOf(data.range[0], column, columns));
            if (isPlane) *out++ = static_cast<float>(pointOf(data.range[1], rows - 1 - row, rows));
        }
    }
    return samples;
}

/// The numbers of one column of [N, columns].
std::vector<float> columnOf(const Tensor& table, size_t column) {
    std::vector<float> numbers;
    const auto columns = static_cast<size_t>(table.shape()[1]);
    for (size_t at = column; at < table.values<float>().size(); at += columns)
        numbers.push_back(table.values<float>()[at]);
    return numbers;
}

/// The elements of a sample as a picture: the mean of the channels, or a row.
NetTile tileOfSample(std::span<const float> elements, const NetData& data) {
    const Shape& shape = data.samples.shape();
    if (data.picture != ResponsePicture::Image)
        return {static_cast<int>(elements.size()), 1, {elements.begin(), elements.end()}};
    const auto columns = static_cast<size_t>(shape[shape.size() - 1]);
    const auto rows = static_cast<size_t>(shape[shape.size() - 2]);
    NetTile tile{static_cast<int>(columns), static_cast<int>(rows),
                 std::vector<float>(rows * columns)};
    const auto channels = static_cast<float>(elements.size()) / static_cast<float>(rows * columns);
    for (size_t at = 0; at < elements.size(); ++at)
        tile.values[at % tile.values.size()] += elements[at] / channels;
    return tile;
}

bool coversRange(const NetData& data) {
    return data.picture == ResponsePicture::Curve || data.picture == ResponsePicture::Plane;
}

/// Responses over the range of the features.
NetTile tileOfResponses(const Tensor& responses, size_t unit, const NetData& data, int side) {
    const bool isPlane = data.picture == ResponsePicture::Plane;
    return {isPlane ? side : kCurvePoints, isPlane ? side : 1, columnOf(responses, unit)};
}

/// In the shape that the model's input has.
Tensor shapedFor(const Tensor& samples, const ValueType& type) {
    Shape shape{samples.shape().front()};
    for (size_t axis = 1; axis < type.shape->size(); ++axis) {
        const Dim& dim = (*type.shape)[axis];
        shape.push_back(dim.isNumber() ? dim.value : samples.shape()[axis]);
    }
    return samples.reshaped(shape).cast(type.dtype);
}

void addInputs(NetLook& look, const Tensor& samples, int side) {
    const NetData& data = *look.data;
    if (coversRange(data)) {
        for (size_t feature = 0; feature < data.range.size(); ++feature)
            look.inputs.push_back(tileOfResponses(samples, feature, data, side));
        look.inputNames = data.features;
    } else if (data.range.size() <= kMaxFeatures) {
        look.inputs.resize(data.range.size());
        look.inputNames = data.features;
    } else {
        const auto elements = data.range.size();
        std::vector<float> mean(elements);
        const std::span<const float> values = data.samples.values<float>();
        const auto rows = static_cast<float>(data.samples.shape().front());
        for (size_t at = 0; at < values.size(); ++at) mean[at % elements] += values[at] / rows;
        look.inputs.push_back(tileOfSample(mean, data));
        look.inputNames << tr("Mean sample");
    }
}

QImage imageOf(const NetTile& tile, const Colors& colors) {
    QImage image(tile.columns, tile.rows, QImage::Format_RGB32);
    const double largest = double{tile.largest()};
    const float* value = tile.values.data();
    for (int row = 0; row < tile.rows; ++row) {
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < tile.columns; ++column)
            pixels[column] = valueColor(double{*value++}, largest, colors);
    }
    return image;
}

void makeImages(std::vector<NetTile>& tiles, const Colors& colors) {
    for (NetTile& tile : tiles)
        if (tile.rows > 1) tile.image = imageOf(tile, colors);
}

QString nameOf(const UnitLayer& layer) {
    return layer.activations.empty() ? QString() : text(layer.activations.front());
}

}  // namespace

float NetTile::largest() const {
    float most = 0;
    for (const float value : values)
        if (std::isfinite(value)) most = std::max(most, std::abs(value));
    return most;
}

bool NetLook::readsInputs() const {
    return !layers.empty() && static_cast<size_t>(layers.front().inputs) == inputs.size();
}

std::shared_ptr<const NetLook> lookAtNet(const NetRequest& request, const std::stop_token& stop) {
    auto look = std::make_shared<NetLook>();
    look->data = request.data ? request.data : readNetData(*request.source, request.net);
    const NetData& data = *look->data;
    UnitProbe probe(*request.weights.artifacts->evalModel, *request.weights.state, request.ops);
    if (probe.inputNames().size() != 1)
        throw Error(ErrorCode::Unsupported,
                    "The model has several inputs; its units can't be shown.");
    const Tensor samples = coversRange(data) ? coveringSamples(data, request.side) : data.samples;
    const std::vector<Tensor> responses = probe.responses(
        std::vector<Tensor>{shapedFor(samples, probe.inputType(probe.inputNames().front()))});
    addInputs(*look, samples, request.side);
    for (size_t at = 0; at < responses.size() && !stop.stop_requested(); ++at) {
        const UnitLayer& layer = probe.layers()[at];
        const std::span<const float> weights = layer.weight.values<float>();
        NetLayer& own = look->layers.emplace_back(NetLayer{text(layer.name),
                                                           nameOf(layer),
                                                           static_cast<int>(layer.inputs()),
                                                           {weights.begin(), weights.end()},
                                                           {}});
        const Tensor directions =
            coversRange(data) ? Tensor() : excitingDirections(responses[at], data.samples);
        for (int64_t unit = 0; unit < layer.units(); ++unit) {
            if (coversRange(data)) {
                own.units.push_back(
                    tileOfResponses(responses[at], static_cast<size_t>(unit), data, request.side));
                continue;
            }
            const auto elements = static_cast<size_t>(directions.shape()[1]);
            own.units.push_back(tileOfSample(
                directions.values<float>().subspan(static_cast<size_t>(unit) * elements, elements),
                data));
        }
    }
    makeImages(look->inputs, *request.colors);
    for (NetLayer& layer : look->layers) makeImages(layer.units, *request.colors);
    look->step = request.weights.step;
    return look;
}

}  // namespace temper::ui
