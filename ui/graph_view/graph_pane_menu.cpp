// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <algorithm>

#include "engine/ir/node_paths.h"
#include "ui/graph_view/graph_pane.h"

namespace temper::ui {

std::vector<const Node*> GraphPane::nodesOf(const GraphBox& box) const {
    std::vector<const Node*> nodes;
    if (box.node >= 0) nodes.push_back(&document_->node(box.node));
    if (box.group >= 0)
        for (const int node : document_->nodesIn(box.group))
            nodes.push_back(&document_->node(node));
    if (box.value != nullptr && box.value->producer() != nullptr)
        nodes.push_back(box.value->producer());
    if (box.kind == BoxKind::Input)
        for (const Value::Use& use : box.value->uses()) nodes.push_back(use.node);
    return nodes;
}

std::set<std::string> GraphPane::trainableOf(const std::vector<const Node*>& nodes) const {
    std::set<std::string> names;
    for (const Node* node : nodes)
        for (const Value* parameter : document_->parametersOf(document_->outline().indexOf(node)))
            if (overlay_.trainable.contains(parameter->name())) names.insert(parameter->name());
    return names;
}

/// Of the canvas alone: elsewhere Space presses buttons.
void GraphPane::buildTrainingActions() {
    for (QAction* action :
         {makeAction(QStringLiteral("toggleTraining"), tr("Freeze or train this"),
                     {QKeySequence(Qt::Key_Space)}, [this] { toggleTraining(false); }),
          makeAction(QStringLiteral("toggleTrainingAbove"),
                     tr("Freeze or train this and everything above"),
                     {QKeySequence(Qt::SHIFT | Qt::Key_Space)}, [this] { toggleTraining(true); }),
          makeAction(QStringLiteral("toggleStop"), tr("Stop gradients here, or no longer"),
                     {QKeySequence(Qt::Key_X)}, [this] { toggleStop(); })}) {
        action->setShortcutContext(Qt::WidgetShortcut);
        view_->addAction(action);
    }
}

void GraphPane::toggleTraining(bool withAbove) {
    const GraphBox* box = view_->selected();
    if (box == nullptr) return;
    const std::vector<const Node*> own = nodesOf(*box);
    std::set<std::string> names = trainableOf(own);
    if (box->value != nullptr && overlay_.trainable.contains(box->value->name()))
        names.insert(box->value->name());
    if (withAbove) {
        const NodeSet above = nodesBefore(*graph_, own);
        names.merge(trainableOf({above.begin(), above.end()}));
    }
    if (names.empty())
        return showWay({}, tr("%1 has no parameters that could train.").arg(box->title));
    const bool allTrain = std::ranges::includes(overlay_.trained, names);
    const QString what = withAbove ? tr("%1 and everything above").arg(box->title) : box->title;
    if (allTrain) return emit freezeRequested(tr("Freeze %1").arg(what), names);
    emit trainRequested(tr("Train %1").arg(what), names);
}

void GraphPane::setStopped(std::set<std::string> values) {
    if (values == overlay_.stopped) return;
    overlay_.stopped = std::move(values);
    view_->setOverlayData(overlay_);
}

bool GraphPane::stopsAt(const Node& node) const {
    return std::ranges::any_of(node.outputs(), [this](const Value* output) {
        return output != nullptr && overlay_.stopped.contains(output->name());
    });
}

void GraphPane::toggleStop() {
    const GraphBox* box = view_->selected();
    if (box == nullptr || overlay_.trainable.empty()) return;
    if (box->node < 0)
        return showWay(
            {}, tr("Gradients stop at single nodes: open %1 and choose one.").arg(box->title));
    const Node& node = document_->node(box->node);
    emit stopRequested(&node, !stopsAt(node));
}

void GraphPane::showMenu(int box, const QPoint& global) {
    QMenu menu(this);
    if (box >= 0) {
        const GraphBox& of = view_->drawing()->boxes[static_cast<size_t>(box)];
        if (of.group >= 0)
            menu.addAction(of.open ? tr("Close group") : tr("Open group"),
                           [this, group = of.group] { toggleGroup(group); });
        if (of.shapeNodes > 0)
            menu.addAction(tr("Show %n shape operations", nullptr, of.shapeNodes),
                           [this, node = of.node] { revealShapeNodes(node); });
        addTrainingEntries(menu, of);
        addWayEntries(menu, of);
        if (of.node >= 0)
            menu.addAction(tr("Show in table"),
                           [this, node = of.node] { emit tableRequested(&document_->node(node)); });
        const QString name = of.node >= 0 ? text(document_->node(of.node).name()) : of.title;
        menu.addAction(tr("Copy name"), [name] { QGuiApplication::clipboard()->setText(name); });
        menu.addSeparator();
    }
    if (!fold_.revealed.empty())
        menu.addAction(tr("Hide shape operations"), [this] {
            GraphFold fold = fold_;
            fold.revealed.clear();
            setFold(fold);
        });
    for (QAction* action : toggles_) menu.addAction(action);
    menu.exec(global);
}

void GraphPane::addTrainingEntries(QMenu& menu, const GraphBox& box) {
    if (overlay_.trainable.empty()) return;
    for (QAction* action : actions_)
        if (action->objectName().startsWith(QLatin1String("graph.toggleTraining")))
            menu.addAction(action);
    const std::vector<const Node*> own = nodesOf(box);
    NodeSet before = nodesBefore(*graph_, own);
    for (const Node* node : own)
        if (box.kind != BoxKind::Output) before.erase(node);
    const NodeSet after = nodesAfter(*graph_, own);
    const auto above = trainableOf({before.begin(), before.end()});
    const auto below = trainableOf({after.begin(), after.end()});
    QAction* freeze = menu.addAction(
        tr("Freeze everything above (%n parameters)", nullptr, static_cast<int>(above.size())),
        [this, above, name = box.title] {
            emit freezeRequested(tr("Freeze everything above %1").arg(name), above);
        });
    freeze->setEnabled(!above.empty());
    QAction* train = menu.addAction(
        tr("Train everything from here (%n parameters)", nullptr, static_cast<int>(below.size())),
        [this, below, name = box.title] {
            emit trainRequested(tr("Train everything from %1").arg(name), below);
        });
    train->setEnabled(!below.empty());
    if (box.node >= 0) {
        const Node* node = &document_->node(box.node);
        QAction* stop = menu.addAction(tr("Stop gradients here"), [this, node](bool stops) {
            emit stopRequested(node, stops);
        });
        stop->setObjectName(QStringLiteral("stopGradients"));
        stop->setCheckable(true);
        stop->setChecked(stopsAt(*node));
    }
    menu.addSeparator();
}

void GraphPane::addWayEntries(QMenu& menu, const GraphBox& box) {
    const auto parameters = view_->drawing()->parametersOf(box);
    constexpr size_t kMostEntries = 12;
    for (size_t i = 0; i < std::min(parameters.size(), kMostEntries); ++i)
        if (overlay_.trainable.contains(parameters[i]->name()))
            menu.addAction(
                tr("Gradient path to %1").arg(text(parameters[i]->name())),
                [this, parameter = parameters[i]] { emit gradientWayRequested(parameter); });
    menu.addAction(tr("Path from here…"), [this, nodes = nodesOf(box), name = box.title] {
        wayStart_ = nodes;
        wayStartName_ = name;
        showWay({}, tr("Path from %1: choose “Path to here” where it is to end.").arg(name));
    });
    if (!wayStart_.empty())
        menu.addAction(
            tr("Path to here from %1").arg(wayStartName_),
            [this, nodes = nodesOf(box), name = box.title] { showWayFromStart(nodes, name); });
    if (!view_->path().empty()) menu.addAction(tr("Clear the path"), this, &GraphPane::clearWay);
    menu.addSeparator();
}

void GraphPane::showWayFromStart(const std::vector<const Node*>& to, const QString& name) {
    NodeSet between = nodesBetween(*graph_, wayStart_, to);
    if (between.empty()) between = nodesBetween(*graph_, to, wayStart_);
    std::set<int> nodes;
    for (const Node* node : between) nodes.insert(document_->outline().indexOf(node));
    const auto count = static_cast<int>(nodes.size());
    showWay(std::move(nodes),
            count == 0
                ? tr("No path joins %1 and %2.").arg(wayStartName_, name)
                : tr("%n nodes between %1 and %2.", nullptr, count).arg(wayStartName_, name));
    wayStart_.clear();
}

}  // namespace temper::ui
