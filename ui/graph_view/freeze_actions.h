// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

class QAction;
class QKeySequence;
class QMenu;

namespace temper::ui {

class GraphView;
struct GraphBox;

/// Chooses at the boxes of a graph what trains: actions for the selected box, entries for the menu
/// of any box. Each requests a change; the view's overlay data hold the current state.
class FreezeActions : public QObject {
    Q_OBJECT
public:
    explicit FreezeActions(GraphView& view, QObject* parent = nullptr);

    /// Freeze or train the selected box, the same with everything above it, stop gradients at it.
    /// Their keys work only in the view.
    const QList<QAction*>& actions() const { return actions_; }
    /// Does nothing if no parameter of the graph could train.
    void addEntries(QMenu& menu, const GraphBox& box);

signals:
    /// Requests that parameters are frozen or trained; `what` names the change for the undo list.
    void freezeRequested(const QString& what, const std::set<std::string>& parameters);
    void trainRequested(const QString& what, const std::set<std::string>& parameters);
    /// Requests that gradients stop at the node, or no longer do.
    void stopRequested(const temper::Node* node, bool stops);
    /// Nothing can be done at the selected box: a sentence that says why.
    void refused(const QString& why);

private:
    void addAction(const char* id, const QString& text, const QKeySequence& key,
                   void (FreezeActions::*run)());
    void toggle() { toggleTraining(false); }
    void toggleWithAbove() { toggleTraining(true); }
    void toggleStop();
    /// Freezes the selected box's parameters, or trains them if one of them is frozen.
    void toggleTraining(bool withAbove);
    void addAbove(QMenu& menu, const GraphBox& box);
    void addBelow(QMenu& menu, const GraphBox& box);
    void addStop(QMenu& menu, const GraphBox& box);
    std::set<std::string> trainableOf(const std::vector<const Node*>& nodes) const;
    bool stopsAt(const Node& node) const;

    GraphView& view_;
    QList<QAction*> actions_;
};

}  // namespace temper::ui
