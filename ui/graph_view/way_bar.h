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

/// A path through the graph: marked in the view and described by a sentence in this bar. Hidden if
/// there is none. Paths between two boxes are chosen in their menus.
class WayBar : public QWidget {
    Q_OBJECT
public:
    explicit WayBar(GraphView& view, QWidget* parent = nullptr);

    /// Empty nodes show the sentence only.
    void showWay(std::set<int> nodes, const QString& sentence);
    void clear();
    /// Forgets the path and its start, because the graph is another one.
    void forget();
    void addEntries(QMenu& menu, const GraphBox& box);

signals:
    /// Requests to show the path of the gradient to the parameter.
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
