// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "ui/graph_view/graph_drawing.h"

namespace temper::ui {

struct Colors;

/// What the colours of the boxes mean.
enum class OverlayKind { Operators, None, Training, WeightNorm, Heat };

/// The data of overlays and marks; all names are of parameters.
struct OverlayData {
    std::set<std::string> trainable;     ///< gradients can be requested for them
    std::set<std::string> trained;       ///< those that train
    std::set<std::string> blocked;       ///< chosen, but no gradient reaches them
    std::set<std::string> stopped = {};  ///< values, not parameters: gradients stop at them
    std::map<std::string, double> norms;
    std::map<std::string, double> heat;  ///< e.g. norms of gradients
};

/// The state of a box's parameters; Stop belongs to no parameter: gradients end there by choice.
enum class TrainingMark { None, Frozen, Trains, Mixed, Blocked, Stop };

struct BoxTint {
    QColor color;
    double strength = 0.14;    ///< of the colour over the surface
    QString note;              ///< the number that the colour represents
    double farStrength = 0.6;  ///< the same if boxes are too small for a border
};

struct LegendEntry {
    QColor color;
    QString text;
    TrainingMark mark = TrainingMark::None;
};

struct Overlay {
    std::vector<BoxTint> tints;  ///< by box
    std::vector<TrainingMark> marks;
    std::set<int> stops;  ///< boxes at which gradients stop
    std::vector<LegendEntry> legend;
};

TrainingMark markOf(const std::vector<const Value*>& parameters, const OverlayData& data);

/// The norm of a group is that of all its values together; its heat is the largest.
Overlay makeOverlay(OverlayKind kind, const GraphDrawing& drawing, const OverlayData& data,
                    const Colors& colors);

}  // namespace temper::ui
