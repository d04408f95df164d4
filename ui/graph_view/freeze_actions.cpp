// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/freeze_actions.h"

#include <QAction>
#include <QMenu>
#include <algorithm>

#include "engine/ir/node_paths.h"
#include "ui/graph_view/graph_view.h"

namespace temper::ui {

FreezeActions::FreezeActions(GraphView& view, QObject* parent) : QObject(parent), view_(view) {
    addAction("graph.toggleTraining", tr("Freeze or train this"), QKeySequence(Qt::Key_Space),
              &FreezeActions::toggle);
    addAction("graph.toggleTrainingAbove", tr("Freeze or train this and everything before it"),
              QKeySequence(Qt::SHIFT | Qt::Key_Space), &FreezeActions::toggleWithAbove);
    addAction("graph.toggleStop", tr("Stop or allow gradients here"), QKeySequence(Qt::Key_X),
              &FreezeActions::toggleStop);
}

/// The shortcut is limited to the canvas: elsewhere Space presses buttons.
void FreezeActions::addAction(const char* id, const QString& text, const QKeySequence& key,
                              void (FreezeActions::*run)()) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(id));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, run);
    view_.addAction(action);
    actions_ << action;
}

void FreezeActions::toggleTraining(bool withAbove) {
    const GraphBox* box = view_.selected();
    if (box == nullptr) return;
    const OverlayData& now = view_.overlayData();
    const std::vector<const Node*> own = view_.drawing()->nodesOf(*box);
    std::set<std::string> names = trainableOf(own);
    if (box->value != nullptr && now.trainable.contains(box->value->name()))
        names.insert(box->value->name());
    if (withAbove) {
        const NodeSet above = nodesBefore(view_.drawing()->document->graph(), own);
        names.merge(trainableOf({above.begin(), above.end()}));
    }
    if (names.empty()) return emit refused(tr("%1 has no trainable parameters.").arg(box->title));
    const bool allTrain = std::ranges::includes(now.trained, names);
    const QString what = withAbove ? tr("%1 and everything before it").arg(box->title) : box->title;
    if (allTrain) return emit freezeRequested(tr("Freeze %1").arg(what), names);
    emit trainRequested(tr("Train %1").arg(what), names);
}

void FreezeActions::toggleStop() {
    const GraphBox* box = view_.selected();
    if (box == nullptr || view_.overlayData().trainable.empty()) return;
    if (box->node < 0)
        return emit refused(
            tr("Gradients can only be stopped at a single node. Open %1 and choose one.")
                .arg(box->title));
    const Node& node = view_.drawing()->document->node(box->node);
    emit stopRequested(&node, !stopsAt(node));
}

void FreezeActions::addEntries(QMenu& menu, const GraphBox& box) {
    if (view_.overlayData().trainable.empty()) return;
    menu.addAction(actions_[0]);
    menu.addAction(actions_[1]);
    addAbove(menu, box);
    addBelow(menu, box);
    if (box.node >= 0) addStop(menu, box);
    menu.addSeparator();
}

void FreezeActions::addAbove(QMenu& menu, const GraphBox& box) {
    const std::vector<const Node*> own = view_.drawing()->nodesOf(box);
    NodeSet before = nodesBefore(view_.drawing()->document->graph(), own);
    for (const Node* node : own)
        if (box.kind != BoxKind::Output) before.erase(node);
    const auto above = trainableOf({before.begin(), before.end()});
    QAction* freeze =
        menu.addAction(tr("Freeze everything before this (%n parameters)", nullptr,
                          static_cast<int>(above.size())),
                       [this, above, name = box.title] {
                           emit freezeRequested(tr("Freeze everything before %1").arg(name), above);
                       });
    freeze->setEnabled(!above.empty());
}

void FreezeActions::addBelow(QMenu& menu, const GraphBox& box) {
    const NodeSet after =
        nodesAfter(view_.drawing()->document->graph(), view_.drawing()->nodesOf(box));
    const auto below = trainableOf({after.begin(), after.end()});
    QAction* train =
        menu.addAction(tr("Train everything from here on (%n parameters)", nullptr,
                          static_cast<int>(below.size())),
                       [this, below, name = box.title] {
                           emit trainRequested(tr("Train everything from %1 on").arg(name), below);
                       });
    train->setEnabled(!below.empty());
}

void FreezeActions::addStop(QMenu& menu, const GraphBox& box) {
    const Node* node = &view_.drawing()->document->node(box.node);
    QAction* stop = menu.addAction(tr("Stop gradients here"),
                                   [this, node](bool stops) { emit stopRequested(node, stops); });
    stop->setObjectName(QStringLiteral("stopGradients"));
    stop->setCheckable(true);
    stop->setChecked(stopsAt(*node));
}

std::set<std::string> FreezeActions::trainableOf(const std::vector<const Node*>& nodes) const {
    const GraphDocument& document = *view_.drawing()->document;
    const std::set<std::string>& trainable = view_.overlayData().trainable;
    std::set<std::string> names;
    for (const Node* node : nodes)
        for (const Value* parameter : document.parametersOf(document.outline().indexOf(node)))
            if (trainable.contains(parameter->name())) names.insert(parameter->name());
    return names;
}

bool FreezeActions::stopsAt(const Node& node) const {
    return std::ranges::any_of(node.outputs(), [this](const Value* output) {
        return output != nullptr && view_.overlayData().stopped.contains(output->name());
    });
}

}  // namespace temper::ui
