// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_overlay.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/theme/colors.h"
#include "ui/translation/number_text.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr double kMinStrength = 0.08;
constexpr double kMaxStrength = 0.75;
constexpr int kScaleSteps = 5;
constexpr double kWithoutParameters = 0.06;  ///< the strength of boxes that have none

QColor kindColor(BoxKind kind, const Colors& colors) {
    switch (kind) {
        case BoxKind::Input:
        case BoxKind::Output:
        case BoxKind::Group: return colors.muted;
        case BoxKind::Linear: return colors.series[0];
        case BoxKind::Activation: return colors.series[1];
        case BoxKind::Normalization: return colors.series[3];
        case BoxKind::Pooling: return colors.series[2];
        case BoxKind::Shape: return colors.series[6];
        case BoxKind::Other: break;
    }
    return colors.series[4];
}

BoxTint operatorTint(const GraphBox& box, const Colors& colors) {
    const bool port = box.kind == BoxKind::Input || box.kind == BoxKind::Output;
    return {kindColor(box.kind, colors), port ? 0.08 : 0.14, {}, 0.6};
}

std::vector<LegendEntry> operatorLegend(const Colors& colors) {
    const std::pair<BoxKind, QString> kinds[] = {
        {BoxKind::Linear, tr("Layers with weights")},
        {BoxKind::Activation, tr("Activations")},
        {BoxKind::Normalization, tr("Normalization")},
        {BoxKind::Pooling, tr("Pooling and reductions")},
        {BoxKind::Shape, tr("Shapes and indices")},
        {BoxKind::Other, tr("Other")},
    };
    std::vector<LegendEntry> legend;
    for (const auto& [kind, name] : kinds) legend.push_back({kindColor(kind, colors), name});
    return legend;
}

QColor markColor(TrainingMark mark, const Colors& colors) {
    switch (mark) {
        case TrainingMark::Trains: return colors.good;
        case TrainingMark::Mixed: return colors.attention;
        case TrainingMark::Blocked: return colors.bad;
        case TrainingMark::Frozen: return colors.series[5];
        case TrainingMark::Stop: return colors.attention;
        case TrainingMark::None: break;
    }
    return colors.muted;
}

std::vector<LegendEntry> trainingLegend(const Colors& colors, bool stops) {
    std::vector<std::pair<TrainingMark, QString>> marks = {
        {TrainingMark::Trains, tr("Trains")},
        {TrainingMark::Mixed, tr("Partly frozen")},
        {TrainingMark::Frozen, tr("Frozen")},
        {TrainingMark::Blocked, tr("No gradient")},
    };
    if (stops) marks.emplace_back(TrainingMark::Stop, tr("Gradients stop here"));
    std::vector<LegendEntry> legend;
    for (const auto& [mark, name] : marks) legend.push_back({markColor(mark, colors), name, mark});
    legend.push_back(
        {blend(colors.surface, colors.muted, kWithoutParameters), tr("No parameters")});
    return legend;
}

/// The value of a box, from those of its parameters.
std::optional<double> numberOf(const std::vector<const Value*>& parameters,
                               const std::map<std::string, double>& values, bool isNorm) {
    std::optional<double> number;
    for (const Value* parameter : parameters) {
        const auto found = values.find(parameter->name());
        if (found == values.end() || !std::isfinite(found->second)) continue;
        const double before = number.value_or(0);
        number = isNorm ? std::hypot(before, found->second) : std::max(before, found->second);
    }
    return number;
}

/// Maps values to strengths of one colour, by their logarithms if they span decades.
struct Scale {
    double least = 0;
    double most = 0;
    bool logarithmic = false;

    explicit Scale(const std::vector<std::optional<double>>& numbers) {
        for (const auto& number : numbers) {
            if (!number || *number <= 0) continue;
            least = least == 0 ? *number : std::min(least, *number);
            most = std::max(most, *number);
        }
        logarithmic = least > 0 && most / least > 30;
    }
    double part(double number) const {
        if (number <= 0 || most <= least) return number > 0 ? 1 : 0;
        return logarithmic ? std::log(number / least) / std::log(most / least)
                           : (number - least) / (most - least);
    }
    double number(double part) const {
        return logarithmic ? least * std::pow(most / least, part) : least + (most - least) * part;
    }
    static double strength(double part) {
        return kMinStrength + (kMaxStrength - kMinStrength) * std::clamp(part, 0.0, 1.0);
    }
};

QString shortNumber(double number) { return decimalText(number, 'g', 3); }

BoxTint numberTint(std::optional<double> number, const Scale& scale, const QColor& color,
                   const Colors& colors) {
    if (!number) return {colors.muted, 0.04, {}, 0.25};
    const double strength = Scale::strength(scale.part(*number));
    return {color, strength, shortNumber(*number), 0.15 + strength};
}

void tintByNumbers(Overlay& overlay, const GraphDrawing& drawing,
                   const std::map<std::string, double>& values, bool isNorm, const Colors& colors) {
    std::vector<std::optional<double>> numbers;
    for (const GraphBox& box : drawing.boxes)
        numbers.push_back(box.open ? std::nullopt
                                   : numberOf(drawing.parametersOf(box), values, isNorm));
    const Scale scale(numbers);
    const QColor color = isNorm ? colors.series[0] : colors.series[1];
    for (const auto& number : numbers)
        overlay.tints.push_back(numberTint(number, scale, color, colors));
    if (scale.most <= 0) {
        overlay.legend = {
            {colors.muted, isNorm ? tr("Computing norms") : tr("Values appear during training")}};
        return;
    }
    for (int step = 0; step < kScaleSteps; ++step) {
        const double part = step / (kScaleSteps - 1.0);
        overlay.legend.push_back(
            {blend(colors.surface, color, Scale::strength(part)), shortNumber(scale.number(part))});
    }
}

}  // namespace

namespace {

bool stopsAt(const Node& node, const std::set<std::string>& stopped) {
    return std::ranges::any_of(node.outputs(), [&stopped](const Value* output) {
        return output != nullptr && stopped.contains(output->name());
    });
}

/// For closed groups: whether such a node is inside.
bool boxStops(const GraphDocument& document, const GraphBox& box,
              const std::set<std::string>& stopped) {
    if (box.open) return false;
    if (box.node >= 0) return stopsAt(document.node(box.node), stopped);
    if (box.group < 0) return false;
    return std::ranges::any_of(document.nodesIn(box.group),
                               [&](int node) { return stopsAt(document.node(node), stopped); });
}

std::set<int> stoppingBoxes(const GraphDrawing& drawing, const std::set<std::string>& stopped) {
    std::set<int> boxes;
    if (stopped.empty()) return boxes;
    for (size_t i = 0; i < drawing.boxes.size(); ++i)
        if (boxStops(*drawing.document, drawing.boxes[i], stopped))
            boxes.insert(static_cast<int>(i));
    return boxes;
}

}  // namespace

TrainingMark markOf(const std::vector<const Value*>& parameters, const OverlayData& data) {
    int trains = 0, frozen = 0;
    for (const Value* parameter : parameters) {
        if (data.blocked.contains(parameter->name())) return TrainingMark::Blocked;
        if (data.trained.contains(parameter->name())) {
            ++trains;
        } else if (data.trainable.contains(parameter->name())) {
            ++frozen;
        }
    }
    if (trains > 0) return frozen > 0 ? TrainingMark::Mixed : TrainingMark::Trains;
    return frozen > 0 ? TrainingMark::Frozen : TrainingMark::None;
}

Overlay makeOverlay(OverlayKind kind, const GraphDrawing& drawing, const OverlayData& data,
                    const Colors& colors) {
    Overlay overlay;
    for (const GraphBox& box : drawing.boxes)
        overlay.marks.push_back(box.open ? TrainingMark::None
                                         : markOf(drawing.parametersOf(box), data));
    overlay.stops = stoppingBoxes(drawing, data.stopped);
    switch (kind) {
        case OverlayKind::Operators:
            for (const GraphBox& box : drawing.boxes)
                overlay.tints.push_back(operatorTint(box, colors));
            overlay.legend = operatorLegend(colors);
            break;
        case OverlayKind::None:
            overlay.tints.assign(drawing.boxes.size(), {colors.muted, 0.08, {}, 0.45});
            break;
        case OverlayKind::Training:
            for (const TrainingMark mark : overlay.marks)
                overlay.tints.push_back({markColor(mark, colors),
                                         mark == TrainingMark::None ? kWithoutParameters : 0.3,
                                         {}});
            overlay.legend = trainingLegend(colors, !data.stopped.empty());
            break;
        case OverlayKind::WeightNorm:
            tintByNumbers(overlay, drawing, data.norms, true, colors);
            break;
        case OverlayKind::Heat: tintByNumbers(overlay, drawing, data.heat, false, colors); break;
    }
    return overlay;
}

}  // namespace temper::ui
