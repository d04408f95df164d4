// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <set>
#include <vector>

#include "engine/ir/graph.h"

class QLabel;
class QMenu;

namespace temper::ui {

class GraphView;
struct GraphBox;

/// A way through the graph: it is marked in the view, and this bar says a sentence about it. Hidden
/// while there is none. Ways between two boxes are chosen in their menus.
class WayBar : public QWidget {
    Q_OBJECT
public:
    explicit WayBar(GraphView& view, QWidget* parent = nullptr);

    /// Empty nodes show the sentence only.
    void showWay(std::set<int> nodes, const QString& sentence);
    void clear();
    /// Another graph: the box where a way was to begin is gone, too.
    void forget();
    void addEntries(QMenu& menu, const GraphBox& box);

signals:
    /// The way of the gradient to the parameter is to be shown.
    void gradientWayRequested(const temper::Value* parameter);

private:
    void addGradientWays(QMenu& menu, const GraphBox& box);
    void beginAt(const std::vector<const Node*>& nodes, const QString& name);
    void endAt(const std::vector<const Node*>& nodes, const QString& name);

    GraphView& view_;
    QLabel* text_;
    std::vector<const Node*> start_;
    QString startName_;
};

}  // namespace temper::ui
