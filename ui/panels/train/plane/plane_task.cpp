// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/plane/plane_task.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ui/translation/number_text.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// More points would hide each other.
constexpr int64_t kMaxSamples = 2000;
constexpr double kMargin = 0.08;
constexpr int kColors = 7;

std::vector<double> numbersOf(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Float64);
    return {wide.values<double>().begin(), wide.values<double>().end()};
}

/// All samples, or kMaxSamples spread evenly over all.
PlaneSamples readSamples(const Dataset* data, const PlaneColumns& columns,
                         const PlaneScale& scale) {
    PlaneSamples samples;
    if (data == nullptr || data->size() == 0) return samples;
    const int64_t count = std::min(data->size(), kMaxSamples);
    std::vector<int64_t> chosen;
    for (int64_t i = 0; i < count; ++i) chosen.push_back(i * data->size() / count);
    samples.points = numbersOf(data->batch(data->columnIndex(columns.features), chosen));
    samples.targets = numbersOf(data->batch(data->columnIndex(columns.target), chosen));
    for (size_t i = 0; i < samples.points.size(); ++i)
        samples.points[i] = samples.points[i] * scale.deviation[i % 2] + scale.mean[i % 2];
    return samples;
}

PlaneScale scaleOf(const OpenedData& data, const std::string& column) {
    PlaneScale scale;
    const auto found = data.normalization.find(column);
    if (found == data.normalization.end()) return scale;
    for (size_t k = 0; k < 2; ++k) {
        const auto at = [k](const std::vector<double>& values) {
            return values.size() == 2 ? values[k] : values.front();
        };
        scale.mean[k] = at(found->second.mean);
        scale.deviation[k] = at(found->second.deviation);
    }
    return scale;
}

/// Extent of every second number.
std::pair<double, double> extent(const PlaneData& data, size_t first) {
    double least = INFINITY, most = -INFINITY;
    for (const PlaneSamples* samples : {&data.training, &data.validation}) {
        for (size_t i = first; i < samples->points.size(); i += 2) {
            if (!std::isfinite(samples->points[i])) continue;
            least = std::min(least, samples->points[i]);
            most = std::max(most, samples->points[i]);
        }
    }
    if (least > most) return {-1, 1};
    const double margin = most > least ? kMargin * (most - least) : 1;
    return {least - margin, most + margin};
}

PlaneRange rangeOf(const PlaneData& data) {
    const auto [left, right] = extent(data, 0);
    const auto [bottom, top] = extent(data, 1);
    return {left, right, bottom, top};
}

void describeTargets(PlaneData& data) {
    const std::vector<double>& targets = data.training.targets;
    if (targets.empty()) return;
    const auto [least, most] = std::minmax_element(targets.begin(), targets.end());
    data.middle = (*least + *most) / 2;
    data.half = *most > *least ? (*most - *least) / 2 : 1;
    data.hasTwoTargets = std::set<double>(targets.begin(), targets.end()).size() == 2;
}

std::shared_ptr<const PlaneData> readData(const PlaneRequest& request) {
    const OpenedData& opened = request.source->opened;
    const auto& columns = opened.training->columns();
    const Column& features = columns[opened.training->columnIndex(request.columns.features)];
    auto data = std::make_shared<PlaneData>();
    data->scale = scaleOf(opened, request.columns.features);
    data->training = readSamples(opened.training.get(), request.columns, data->scale);
    data->validation = readSamples(opened.evaluation.get(), request.columns, data->scale);
    for (size_t k = 0; k < 2; ++k)
        data->axes[k] = features.elements.size() == 2
                            ? text(features.elements[k])
                            : QStringLiteral("%1[%2]").arg(text(features.name)).arg(k);
    for (const std::string& name :
         columns[opened.training->columnIndex(request.columns.target)].classes)
        data->classes << text(name);
    data->range = rangeOf(*data);
    describeTargets(*data);
    return data;
}

/// Numbers as two classes: the two that occur, or the lower and the upper half.
QStringList numberNames(const PlaneData& data) {
    const auto number = [](double value) { return decimalText(value, 'g', 3); };
    if (data.hasTwoTargets)
        return {number(data.middle - data.half), number(data.middle + data.half)};
    return {tr("up to %1").arg(number(data.middle)), tr("above %1").arg(number(data.middle))};
}

/// Interprets outputs and targets of a model as classes.
class Reading {
public:
    Reading(TaskKind kind, int64_t outputs, const PlaneData& data)
        : isOfNumbers_(kind == TaskKind::Numbers), outputs_(outputs), data_(data) {
        if (isOfNumbers_ && outputs != 1)
            throw Error(
                ErrorCode::Unsupported,
                "The model predicts several numbers per point; the plane can show only one.");
    }

    int classOf(const float* said) const {
        if (isOfNumbers_) return isUpper(double{*said}) ? 1 : 0;
        return static_cast<int>(std::max_element(said, said + outputs_) - said);
    }
    int classOfTarget(double target) const {
        if (isOfNumbers_) return isUpper(target) ? 1 : 0;
        return static_cast<int>(std::lround(target));
    }
    /// 0 if the model has no preference, 1 if it is certain.
    float certainty(const float* said, int classIndex) const {
        if (isOfNumbers_)
            return static_cast<float>(
                std::min(1.0, std::abs(double{*said} - data_.middle) / data_.half));
        const float guess = 1.0F / static_cast<float>(outputs_);
        return std::clamp((said[classIndex] - guess) / (1 - guess), 0.0F, 1.0F);
    }
    float shown(const float* said, int classIndex) const {
        return isOfNumbers_ ? *said : said[classIndex];
    }

    QStringList classNames() const {
        if (isOfNumbers_) return numberNames(data_);
        QStringList names = data_.classes;
        while (names.size() < outputs_) names << QString::number(names.size());
        return names;
    }

private:
    bool isUpper(double value) const { return value > data_.middle; }

    bool isOfNumbers_;
    int64_t outputs_;
    const PlaneData& data_;
};

std::vector<PlaneShare> sharesOf(const PlaneSamples& samples, Predictor& predictor,
                                 const Reading& reading, const PlaneData& data) {
    std::vector<PlaneShare> shares;
    for (const QString& name : reading.classNames()) shares.push_back({name});
    if (samples.size() == 0) return shares;
    const Tensor said = predictPoints(predictor, samples.points, data.scale);
    const float* values = said.values<float>().data();
    for (size_t i = 0; i < samples.size(); ++i) {
        const int right = reading.classOfTarget(samples.targets[i]);
        if (right < 0 || static_cast<size_t>(right) >= shares.size()) continue;
        PlaneShare& share = shares[static_cast<size_t>(right)];
        ++share.samples;
        const int taken = reading.classOf(values + i * static_cast<size_t>(said.shape()[1]));
        if (taken == right) ++share.right;
    }
    return shares;
}

void addPoints(const PlaneSamples& samples, bool isHollow, const Reading& reading,
               std::vector<PlanePoints>& points) {
    std::vector<PlanePoints> parts(static_cast<size_t>(reading.classNames().size()));
    for (size_t i = 0; i < samples.size(); ++i) {
        const int own = reading.classOfTarget(samples.targets[i]);
        if (own < 0 || static_cast<size_t>(own) >= parts.size()) continue;
        parts[static_cast<size_t>(own)].x.push_back(samples.points[2 * i]);
        parts[static_cast<size_t>(own)].y.push_back(samples.points[2 * i + 1]);
    }
    for (size_t own = 0; own < parts.size(); ++own) {
        if (parts[own].x.empty()) continue;
        parts[own].classIndex = static_cast<int>(own);
        parts[own].isHollow = isHollow;
        points.push_back(std::move(parts[own]));
    }
}

void readSurface(PlaneLook& look, const DecisionPlane& plane, const Reading& reading) {
    look.surface.range = plane.range;
    look.surface.columns = static_cast<int>(plane.columns);
    look.surface.rows = static_cast<int>(plane.rows);
    const auto outputs = static_cast<size_t>(plane.outputs);
    for (size_t at = 0; outputs > 0 && at < plane.values.size(); at += outputs) {
        const float* said = plane.values.data() + at;
        const int own = reading.classOf(said);
        look.surface.classes.push_back(own);
        look.surface.certainty.push_back(reading.certainty(said, own));
        look.said.push_back(reading.shown(said, own));
    }
}

bool isPlane(const ValueType& type) {
    return type.rank() == 2 && type.shape->back().isNumber() && type.shape->back().value == 2;
}

}  // namespace

std::optional<PlaneColumns> planeColumns(const Preparation& preparation) {
    if (!preparation.data || !preparation.artifacts || !preparation.artifacts->evalModel)
        return std::nullopt;
    const Dataset& data = *preparation.data->training();
    PlaneColumns columns;
    for (const ModelInput& input : preparation.inputs) {
        const auto bound = preparation.proposal.binding.find(input.name);
        if (bound == preparation.proposal.binding.end() || !data.findColumn(bound->second))
            return std::nullopt;
        const Column& column = data.columns()[*data.findColumn(bound->second)];
        std::string& own = input.isTarget ? columns.target : columns.features;
        if (!own.empty() || column.elementsPerSample() != (input.isTarget ? 1 : 2))
            return std::nullopt;
        if (!input.isTarget && !isPlane(input.type)) return std::nullopt;
        own = column.name;
    }
    if (columns.features.empty() || columns.target.empty()) return std::nullopt;
    return columns;
}

std::shared_ptr<const PlaneLook> lookAtPlane(const PlaneRequest& request,
                                             const std::stop_token& stop) {
    auto result = std::make_shared<PlaneLook>();
    result->data = request.data ? request.data : readData(request);
    const PlaneData& data = *result->data;
    if (!request.weights.artifacts->evalModel)
        throw Error(ErrorCode::State, "Predicting needs an eval model.");
    Predictor predictor(*request.weights.artifacts->evalModel, *request.weights.state, request.ops);
    const DecisionPlane plane =
        decisionPlane(predictor, request.range.value_or(data.range), request.side, request.side,
                      data.scale, [&stop] { return stop.stop_requested(); });
    const Reading reading(predictor.kind(), plane.outputs, data);
    readSurface(*result, plane, reading);
    result->classes = reading.classNames();
    result->isOfNumbers = predictor.kind() == TaskKind::Numbers;
    result->step = request.weights.step;
    result->training = sharesOf(data.training, predictor, reading, data);
    result->validation = sharesOf(data.validation, predictor, reading, data);
    addPoints(data.training, false, reading, result->points);
    addPoints(data.validation, true, reading, result->points);
    return result;
}

std::vector<int> planeColors(const QStringList& classes) {
    static const std::pair<const char*, int> kNames[] = {{"blue", 0},   {"red", 1},  {"orange", 1},
                                                         {"green", 2},  {"pink", 3}, {"purple", 3},
                                                         {"yellow", 4}, {"grey", 6}, {"gray", 6}};
    std::vector<int> named, counted;
    for (const QString& name : classes) {
        counted.push_back(static_cast<int>(counted.size()) % kColors);
        for (const auto& [colour, index] : kNames)
            if (name.compare(QLatin1String(colour), Qt::CaseInsensitive) == 0)
                named.push_back(index);
    }
    const bool areAll = named.size() == counted.size() &&
                        std::set<int>(named.begin(), named.end()).size() == named.size();
    return areAll ? named : counted;
}

}  // namespace temper::ui
