// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/way_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "engine/ir/node_paths.h"
#include "ui/graph_view/graph_view.h"
#include "ui/widgets/page.h"

namespace temper::ui {

WayBar::WayBar(GraphView& view, QWidget* parent)
    : QWidget(parent), view_(view), text_(makeLabel({}, "", this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    text_->setWordWrap(true);
    row->addWidget(text_, 1);
    auto* clear = new QToolButton(this);
    clear->setText(tr("Clear the path"));
    connect(clear, &QToolButton::clicked, this, &WayBar::clear);
    row->addWidget(clear);
    hide();
}

void WayBar::showWay(std::set<int> nodes, const QString& sentence) {
    text_->setText(sentence);
    show();
    view_.setPath(std::move(nodes));
}

void WayBar::clear() {
    hide();
    view_.setPath({});
}

void WayBar::forget() {
    clear();
    start_.clear();
}

void WayBar::addEntries(QMenu& menu, const GraphBox& box) {
    addGradientWays(menu, box);
    const std::vector<const Node*> nodes = view_.drawing()->nodesOf(box);
    menu.addAction(tr("Path from here…"),
                   [this, nodes, name = box.title] { beginAt(nodes, name); });
    if (!start_.empty())
        menu.addAction(tr("Path to here from %1").arg(startName_),
                       [this, nodes, name = box.title] { endAt(nodes, name); });
    if (!view_.path().empty()) menu.addAction(tr("Clear the path"), this, &WayBar::clear);
    menu.addSeparator();
}

void WayBar::addGradientWays(QMenu& menu, const GraphBox& box) {
    const auto parameters = view_.drawing()->parametersOf(box);
    constexpr size_t kMaxEntries = 12;
    for (size_t i = 0; i < std::min(parameters.size(), kMaxEntries); ++i)
        if (view_.overlayData().trainable.contains(parameters[i]->name()))
            menu.addAction(
                tr("Gradient path to %1").arg(ui::text(parameters[i]->name())),
                [this, parameter = parameters[i]] { emit gradientWayRequested(parameter); });
}

void WayBar::beginAt(const std::vector<const Node*>& nodes, const QString& name) {
    start_ = nodes;
    startName_ = name;
    showWay({}, tr("Path from %1: choose “Path to here” where it should end.").arg(name));
}

void WayBar::endAt(const std::vector<const Node*>& to, const QString& name) {
    const GraphDocument& document = *view_.drawing()->document;
    NodeSet between = nodesBetween(document.graph(), start_, to);
    if (between.empty()) between = nodesBetween(document.graph(), to, start_);
    std::set<int> nodes;
    for (const Node* node : between) nodes.insert(document.outline().indexOf(node));
    const auto count = static_cast<int>(nodes.size());
    showWay(std::move(nodes),
            count == 0 ? tr("No path connects %1 and %2.").arg(startName_, name)
                       : tr("%n nodes between %1 and %2.", nullptr, count).arg(startName_, name));
    start_.clear();
}

}  // namespace temper::ui
