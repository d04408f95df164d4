// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/layer_history.h"

#include <algorithm>

#include "ui/translation/tr.h"

namespace temper::ui {

void LayerHistory::add(const LayersEvent& event) {
    if (event.layers == nullptr) return;
    const std::vector<LayerStatistics>& layers = *event.layers;
    if (!std::ranges::equal(layers, names_, {}, &LayerStatistics::name)) {
        clear();
        for (const LayerStatistics& layer : layers) names_.push_back(layer.name);
    }
    if (++passed_ < stride_ && !looks_.empty()) return;
    passed_ = 0;
    if (looks_.size() == kMaxLooks) {
        for (size_t i = 1; i < kMaxLooks / 2; ++i) looks_[i] = std::move(looks_[2 * i]);
        looks_.resize(kMaxLooks / 2);
        stride_ *= 2;
    }
    Look look{event.step, {}};
    look.layers.reserve(layers.size());
    for (const LayerStatistics& layer : layers)
        look.layers.push_back(
            {static_cast<float>(layer.weightNorm), static_cast<float>(layer.gradientNorm),
             static_cast<float>(layer.updateRatio), static_cast<float>(layer.zeroGradients)});
    looks_.push_back(std::move(look));
}

void LayerHistory::clear() { *this = {}; }

void LayerHistory::cutAfter(int64_t step) {
    std::erase_if(looks_, [step](const Look& look) { return look.step > step; });
}

Curve LayerHistory::curve(const std::string& name, Value value) const {
    const auto found = std::ranges::find(names_, name);
    const auto layer = static_cast<size_t>(found - names_.begin());
    Curve curve;
    if (found == names_.end()) return curve;
    for (const Look& look : looks_)
        curve.append(static_cast<double>(look.step), look.layers[layer][value]);
    return curve;
}

QString layerValueLabel(LayerHistory::Value value) {
    switch (value) {
        case LayerHistory::WeightNorm: return tr("Weight norm");
        case LayerHistory::GradientNorm: return tr("Gradient norm");
        case LayerHistory::UpdateRatio: return tr("Update ratio");
        case LayerHistory::ZeroGradients: return tr("Zero gradients");
        case LayerHistory::kValues: break;
    }
    return {};
}

}  // namespace temper::ui
