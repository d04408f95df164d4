// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QPointF>

#include "ui/graph_view/graph_document.h"

namespace temper::ui {

/// What of a drawing is seen, and how large.
struct GraphPlace {
    double zoom = 1;
    QPointF center;
    bool fits = true;  ///< all of it, whatever the window's size
};

/// How a graph is looked at, to be kept for the next time.
struct GraphLookState {
    GraphFold fold;
    GraphPlace place;
    int node = -1;   ///< that is selected
    int group = -1;  ///< that is selected
};

QJsonObject toJson(const GraphLookState& state);
/// What is missing is as it is without a state.
GraphLookState graphLookFromJson(const QJsonObject& json);
/// Leaves out groups and nodes that the document has not: the file may be another one now.
void leaveWhatExists(GraphFold& fold, const GraphDocument& document);

}  // namespace temper::ui
