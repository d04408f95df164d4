// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/curve_catalog.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "ui/messages/problem.h"
#include "ui/run/run_model.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

struct RunCurve {
    const char* key;
    const Curve& (RunModel::*curve)() const;
};

constexpr std::array kRunCurves = {
    RunCurve{"loss", &RunModel::loss},
    RunCurve{"smoothed_loss", &RunModel::smoothedLoss},
    RunCurve{"validation_loss", &RunModel::validationLoss},
    RunCurve{"learning_rate", &RunModel::learningRate},
    RunCurve{"gradient_norm", &RunModel::gradientNorm},
    RunCurve{"smoothed_gradient_norm", &RunModel::smoothedGradientNorm},
    RunCurve{"step_seconds", &RunModel::stepSeconds}};

constexpr std::array<const char*, LayerHistory::kValues> kLayerKeys = {
    "weight_norm", "gradient_norm", "update_ratio", "zero_gradients"};

const QString kMetric = QStringLiteral("metric/");
const QString kLayer = QStringLiteral("layer/");

/// A pointer that does not own the curve.
std::shared_ptr<const Curve> borrowed(const Curve& curve) {
    return {std::shared_ptr<const void>(), &curve};
}

void addLayers(std::vector<CurveEntry>& entries, const RunModel& run) {
    for (const std::string& name : run.layerHistory().names())
        for (size_t value = 0; value < kLayerKeys.size(); ++value)
            entries.push_back({kLayer + kLayerKeys[value] + '/' + text(name), text(name),
                               layerValueLabel(static_cast<LayerHistory::Value>(value)), true,
                               false});
}

}  // namespace

std::vector<CurveEntry> curvesOf(const RunModel& run) {
    const QString loss = tr("Loss"), steps = tr("Steps"), metrics = tr("Metrics");
    std::vector<CurveEntry> entries = {
        {"loss", loss, tr("Loss per step")},
        {"smoothed_loss", loss, tr("Smoothed loss")},
        {"validation_loss", loss, tr("Validation loss"), false, true},
        {"learning_rate", steps, tr("Learning rate")},
        {"gradient_norm", steps, tr("Gradient norm")},
        {"smoothed_gradient_norm", steps, tr("Smoothed gradient norm")},
        {"step_seconds", steps, tr("Seconds per step")},
    };
    for (const auto& [key, curve] : run.metrics())
        if (key != "loss")
            entries.push_back({kMetric + text(key), metrics, metricLabel(key), false, true});
    addLayers(entries, run);
    return entries;
}

std::shared_ptr<const Curve> curveOf(const RunModel& run, const QString& key) {
    const auto known = std::ranges::find_if(
        kRunCurves, [&](const RunCurve& curve) { return key == QLatin1String(curve.key); });
    if (known != kRunCurves.end()) return borrowed((run.*known->curve)());
    if (key.startsWith(kMetric)) {
        const auto metric = run.metrics().find(key.mid(kMetric.size()).toStdString());
        if (metric != run.metrics().end()) return borrowed(metric->second);
    }
    const QString value = key.section('/', 1, 1);
    const auto index = std::ranges::find_if(
        kLayerKeys, [&](const char* layerKey) { return value == QLatin1String(layerKey); });
    if (!key.startsWith(kLayer) || index == kLayerKeys.end())
        return std::make_shared<const Curve>();
    return std::make_shared<const Curve>(
        run.layerHistory().curve(key.section('/', 2).toStdString(),
                                 static_cast<LayerHistory::Value>(index - kLayerKeys.begin())));
}

}  // namespace temper::ui
