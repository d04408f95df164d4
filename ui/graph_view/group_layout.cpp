// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/group_layout.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

#include "ui/graph_view/box_content.h"
#include "ui/graph_view/index.h"
#include "ui/graph_view/layered_layout.h"

namespace temper::ui {
namespace {

class GroupLayouter {
public:
    GroupLayouter(const GraphDocument& document, const GraphFold& fold,
                  const DrawingMetrics& metrics, int group, const GroupLayouts& layouts)
        : document_(document), fold_(fold), metrics_(metrics), layouts_(layouts) {
        layout_.group = group;
        outputs_.insert(document.graph().outputs().begin(), document.graph().outputs().end());
    }

    std::shared_ptr<const GroupLayout> run(const std::stop_token& stop) {
        addItems();
        for (size_t i = 0; i < layout_.items.size(); ++i) addEdgesOf(static_cast<int>(i));
        if (isRoot()) addGraphOutputs();
        const LayoutInput input = makeInput();
        place(layoutLayers(input, stop));
        return std::make_shared<const GroupLayout>(std::move(layout_));
    }

private:
    using EdgeKey = std::tuple<int, int, const Value*, const Value*>;

    bool isRoot() const { return layout_.group == 0; }
    bool isHidden(int node) const {
        return document_.isShapeNode(node) && !fold_.shapeNodes && !fold_.revealed.contains(node);
    }
    const GroupLayout* inside(int item) const {
        const GraphBox& box = layout_.items[at(item)].box;
        return box.open ? layouts_.at(box.group).get() : nullptr;
    }

    void addItems() {
        const std::vector<OutlineItem>& contents = document_.outline().group(layout_.group).items;
        layout_.items.reserve(contents.size());
        members_.reserve(contents.size());
        if (isRoot()) {
            for (const Value* input : document_.graph().inputs()) {
                sources_[input] = addItem(portBox(BoxKind::Input, *input));
            }
        }
        for (const OutlineItem& item : contents) {
            if (item.group < 0) {
                if (!isHidden(item.node))
                    own(addItem(nodeBox(document_, item.node, fold_)), {&item.node, 1});
                continue;
            }
            const auto nodes = document_.nodesIn(item.group);
            if (std::all_of(nodes.begin(), nodes.end(), [this](int n) { return isHidden(n); }))
                continue;
            own(addItem(groupBox(document_, item.group, fold_)), nodes);
        }
    }

    int addItem(GraphBox box) {
        layout_.items.push_back({std::move(box), {}});
        members_.emplace_back();
        return static_cast<int>(layout_.items.size()) - 1;
    }

    void own(int item, std::span<const int> nodes) {
        for (const int node : nodes) {
            if (isHidden(node)) continue;
            itemOf_[node] = item;
            members_[at(item)].push_back(node);
        }
    }

    void addEdgesOf(int item) {
        for (const int node : members_[at(item)]) {
            for (const NodeRead& read : document_.reads(node)) {
                if (read.producer >= 0 && isHidden(read.producer)) continue;
                const int from = sourceOf(read);
                const bool isStray = from < 0 && isRoot();
                if (from != item && !isStray) addEdge(from, item, read.value);
            }
            if (!isRoot()) addExitsOf(node, item);
        }
    }

    /// The item that produces a value, or -1 for values from outside.
    int sourceOf(const NodeRead& read) const {
        if (read.producer >= 0) {
            const auto found = itemOf_.find(read.producer);
            return found == itemOf_.end() ? -1 : found->second;
        }
        const auto found = sources_.find(read.value);
        return found == sources_.end() ? -1 : found->second;
    }

    void addExitsOf(int node, int item) {
        std::set<const Value*, std::less<>> leaving;
        std::vector<const Value*> ordered;
        const auto add = [&](const Value* value) {
            if (leaving.insert(value).second) ordered.push_back(value);
        };
        for (const int reader : document_.readers(node)) {
            if (isHidden(reader) || document_.isInside(reader, layout_.group)) continue;
            for (const NodeRead& read : document_.reads(reader))
                if (read.producer == node) add(read.value);
        }
        for (const Value* output : document_.node(node).outputs())
            if (output != nullptr && outputs_.contains(output)) add(output);
        for (const Value* value : ordered) addEdge(item, -1, value);
    }

    void addGraphOutputs() {
        for (const Value* output : document_.graph().outputs()) {
            const NodeRead read{
                output, output->producer() ? document_.outline().indexOf(output->producer()) : -1};
            const int from = sourceOf(read);
            const int to = addItem(portBox(BoxKind::Output, *output));
            if (from >= 0) addEdge(from, to, output);
        }
    }

    /// Values between the same two items share an edge.
    void addEdge(int from, int to, const Value* value) {
        const bool fromPort = from < 0 || inside(from) != nullptr;
        const bool toPort = to < 0 || inside(to) != nullptr;
        const EdgeKey key{from, to, fromPort ? value : nullptr, toPort ? value : nullptr};
        const auto [found, isNew] = edgeOf_.try_emplace(key, layout_.edges.size());
        if (isNew) layout_.edges.push_back({from, to, {}, {}});
        auto& values = layout_.edges[found->second].values;
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }

    QSizeF itemSize(int item) const {
        if (const GroupLayout* open = inside(item)) return open->size;
        const QSizeF size = sizeOf(layout_.items[at(item)].box, metrics_);
        return fold_.horizontal ? size.transposed() : size;
    }

    LayoutInput makeInput() {
        LayoutInput input;
        // Boxes side by side leave room for the edge labels.
        input.layerGap = (fold_.horizontal ? 4.2 : 2.4) * metrics_.lineHeight;
        input.boxGap = 1.5 * metrics_.lineHeight;
        input.edgeGap = 0.9 * metrics_.lineHeight;
        for (size_t i = 0; i < layout_.items.size(); ++i)
            input.sizes.push_back(itemSize(static_cast<int>(i)));
        for (const GroupLayout::Edge& edge : layout_.edges) {
            const Value* value = edge.values.front();
            LayoutEdge line;
            line.from = edge.from >= 0 ? edge.from : border(entries_, value, input.first, input);
            line.to = edge.to >= 0 ? edge.to : border(exits_, value, input.last, input);
            if (edge.from >= 0)
                if (const GroupLayout* open = inside(edge.from))
                    line.fromOffset = open->exits.at(value);
            if (edge.to >= 0)
                if (const GroupLayout* open = inside(edge.to))
                    line.toOffset = open->entries.at(value);
            input.edges.push_back(line);
        }
        return input;
    }

    /// A box of size zero at which a value crosses the group's border.
    static int border(std::map<const Value*, int>& boxes, const Value* value,
                      std::vector<int>& pinned, LayoutInput& input) {
        const auto [found, isNew] = boxes.try_emplace(value, static_cast<int>(input.sizes.size()));
        if (isNew) {
            pinned.push_back(found->second);
            input.sizes.emplace_back(0, 0);
        }
        return found->second;
    }

    void place(LayoutResult result) {
        const double line = metrics_.lineHeight;
        const double header = isRoot() ? 0 : headerHeight(metrics_);
        const double side = isRoot() ? 0 : 0.9 * line;
        // The name is above the contents in either flow direction.
        const double before =
            fold_.horizontal ? side : header + (entries_.empty() ? 0.3 * line : 0);
        const double left = fold_.horizontal ? header + 0.3 * line : side;
        QSizeF size(result.bounds.width() + left + side, result.bounds.height() + before + side);
        double extra = 0;
        if (!isRoot()) {
            const GraphBox box = groupBox(document_, layout_.group, fold_);
            const double least = headerWidth(box, metrics_);
            double& wide = fold_.horizontal ? size.rheight() : size.rwidth();
            extra = std::max(0.0, least - wide);
            wide += extra;
        }
        QPointF origin(left, before);
        (fold_.horizontal ? origin.ry() : origin.rx()) += extra / 2;
        origin -= result.bounds.topLeft();
        layout_.size = size;
        for (size_t i = 0; i < layout_.items.size(); ++i)
            layout_.items[i].rect = result.boxes[i].translated(origin);
        for (size_t e = 0; e < layout_.edges.size(); ++e)
            placeEdge(static_cast<int>(e), std::move(result.edges[e]), origin);
        for (const auto& [value, box] : entries_)
            layout_.entries[value] = crossing(result.boxes[at(box)], origin);
        for (const auto& [value, box] : exits_)
            layout_.exits[value] = crossing(result.boxes[at(box)], origin);
    }

    double crossing(const QRectF& box, QPointF origin) const {
        return box.center().x() + origin.x() - layout_.size.width() / 2;
    }

    void placeEdge(int index, std::vector<QPointF> points, QPointF origin) {
        GroupLayout::Edge& edge = layout_.edges[at(index)];
        edge.points = std::move(points);
        for (QPointF& point : edge.points) point += origin;
        if (edge.from < 0) {
            edge.points.insert(edge.points.begin(), {edge.points.front().x(), 0});
            layout_.fromEntry[edge.values.front()].push_back(index);
        }
        if (edge.to < 0) {
            edge.points.emplace_back(edge.points.back().x(), layout_.size.height());
            layout_.toExit[edge.values.front()] = index;
        }
    }

    const GraphDocument& document_;
    const GraphFold& fold_;
    const DrawingMetrics& metrics_;
    const GroupLayouts& layouts_;
    GroupLayout layout_;
    std::vector<std::vector<int>> members_;  ///< visible nodes by item
    std::unordered_map<int, int> itemOf_;
    std::unordered_map<const Value*, int> sources_;  ///< items of the graph's inputs
    std::unordered_set<const Value*> outputs_;
    std::map<EdgeKey, size_t> edgeOf_;
    std::map<const Value*, int> entries_;  ///< boxes of the layout, by value
    std::map<const Value*, int> exits_;
};

}  // namespace

std::shared_ptr<const GroupLayout> layoutGroup(const GraphDocument& document, const GraphFold& fold,
                                               const DrawingMetrics& metrics, int group,
                                               GroupLayouts& layouts, const std::stop_token& stop) {
    if (const auto found = layouts.find(group); found != layouts.end()) return found->second;
    for (const OutlineItem& item : document.outline().group(group).items)
        if (item.group >= 0 && fold.open.contains(item.group))
            layoutGroup(document, fold, metrics, item.group, layouts, stop);
    auto layout = GroupLayouter(document, fold, metrics, group, layouts).run(stop);
    layouts[group] = layout;
    return layout;
}

}  // namespace temper::ui
