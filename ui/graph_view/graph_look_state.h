// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QPointF>

#include "ui/graph_view/graph_document.h"

namespace temper::ui {

/// The visible part of a drawing, and its zoom.
struct GraphPlace {
    double zoom = 1;
    QPointF center;
    bool fits = true;  ///< all of it, at any window size
};

/// The state of a graph's view, saved for the next time.
struct GraphLookState {
    GraphFold fold;
    GraphPlace place;
    int node = -1;   ///< selected
    int group = -1;  ///< selected
};

QJsonObject toJson(const GraphLookState& state);
/// Missing values keep their defaults.
GraphLookState graphLookFromJson(const QJsonObject& json);
/// Removes groups and nodes that the document does not have: the file may have changed.
void leaveWhatExists(GraphFold& fold, const GraphDocument& document);

}  // namespace temper::ui
