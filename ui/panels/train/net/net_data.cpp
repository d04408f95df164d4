// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/net/net_data.h"

#include <algorithm>
#include <cmath>

#include "engine/data/augmentation.h"
#include "engine/training/edits/dense_layers.h"
#include "ui/document/preparation.h"
#include "ui/document/studio_project.h"
#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

constexpr int64_t kMaxUnits = 128;      ///< of a layer
constexpr int64_t kMaxElements = 4096;  ///< of a sample
constexpr int64_t kMaxShownSamples = 512;
constexpr double kRangeMargin = 0.08;

std::vector<int64_t> unitsOf(const StudioProject& project) {
    std::vector<int64_t> units;
    try {
        for (const DenseLayer& layer :
             findDenseLayers(*project.model()->graph, project.ops()->catalog)) {
            if (layer.output()->type().rank() != 2) return {};  // not one row for each sample
            units.push_back(layer.units());
        }
    } catch (const Error&) {
        return {};  // no head: nothing to show
    }
    return units;
}

bool takesAnyBatch(const ValueType& type) {
    return type.shape && !type.shape->empty() && !type.shape->front().isNumber() &&
           isFloating(type.dtype);
}

ResponsePicture pictureOf(const Column& column) {
    const int64_t elements = column.elementsPerSample();
    if (elements == 1) return ResponsePicture::Curve;
    if (elements == 2) return ResponsePicture::Plane;
    return isPicture(column) && !column.hasChannelsLast ? ResponsePicture::Image
                                                        : ResponsePicture::Profile;
}

std::pair<double, double> rangeOf(const Tensor& samples, size_t feature, size_t features) {
    double least = INFINITY, most = -INFINITY;
    const std::span<const float> values = samples.values<float>();
    for (size_t at = feature; at < values.size(); at += features) {
        if (!std::isfinite(values[at])) continue;
        least = std::min(least, double{values[at]});
        most = std::max(most, double{values[at]});
    }
    if (least > most) return {-1, 1};
    const double margin = most > least ? kRangeMargin * (most - least) : 1;
    return {least - margin, most + margin};
}

}  // namespace

std::optional<SmallNet> smallNet(const StudioProject& project) {
    const auto& preparation = project.preparation();
    if (!project.model() || !preparation || !preparation->data || !preparation->artifacts ||
        !preparation->artifacts->evalModel)
        return std::nullopt;
    SmallNet net;
    const Dataset& data = *preparation->data->training();
    for (const ModelInput& input : preparation->inputs) {
        const auto bound = preparation->proposal.binding.find(input.name);
        if (bound == preparation->proposal.binding.end() || !data.findColumn(bound->second))
            return std::nullopt;
        std::string& own = input.isTarget ? net.target : net.features;
        if (!own.empty() || (!input.isTarget && !takesAnyBatch(input.type))) return std::nullopt;
        own = bound->second;
    }
    if (net.features.empty() ||
        data.columns()[data.columnIndex(net.features)].elementsPerSample() > kMaxElements)
        return std::nullopt;
    net.units = unitsOf(project);
    if (net.units.empty() || std::ranges::max(net.units) > kMaxUnits) return std::nullopt;
    net.units.pop_back();
    return net;
}

std::shared_ptr<const NetData> readNetData(const Dataset& data, const SmallNet& net) {
    auto result = std::make_shared<NetData>();
    const size_t index = data.columnIndex(net.features);
    const Column& column = data.columns()[index];
    const int64_t count = std::min(data.size(), kMaxShownSamples);
    std::vector<int64_t> chosen;
    for (int64_t i = 0; i < count; ++i) chosen.push_back(i * data.size() / count);
    result->samples = data.batch(index, chosen).cast(DType::Float32);
    result->picture = pictureOf(column);
    const auto elements = static_cast<size_t>(column.elementsPerSample());
    for (size_t feature = 0; feature < elements; ++feature) {
        result->range.push_back(rangeOf(result->samples, feature, elements));
        result->features << (column.elements.size() == elements ? text(column.elements[feature])
                             : elements == 1
                                 ? text(column.name)
                                 : QStringLiteral("%1[%2]").arg(text(column.name)).arg(feature));
    }
    if (!net.target.empty())
        for (const std::string& name : data.columns()[data.columnIndex(net.target)].classes)
            result->classes << text(name);
    return result;
}

}  // namespace temper::ui
