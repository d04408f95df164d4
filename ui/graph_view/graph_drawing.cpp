// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_drawing.h"

#include <algorithm>
#include <unordered_map>

#include "ui/graph_view/box_content.h"
#include "ui/graph_view/edge_labels.h"
#include "ui/graph_view/group_layout.h"
#include "ui/graph_view/index.h"

namespace temper::ui {
namespace {

/// Groups that were opened or closed, and all groups around them.
std::set<int> changedGroups(const GraphDocument& document, const GraphFold& before,
                            const GraphFold& after) {
    std::vector<int> groups;
    std::set_symmetric_difference(before.open.begin(), before.open.end(), after.open.begin(),
                                  after.open.end(), std::back_inserter(groups));
    std::set<int> changed;
    for (const int group : groups)
        for (const int around : document.outline().pathTo(group)) changed.insert(around);
    return changed;
}

bool looksAlike(const GraphFold& a, const GraphFold& b) {
    return a.shapeNodes == b.shapeNodes && a.attributes == b.attributes && a.weights == b.weights &&
           a.names == b.names && a.horizontal == b.horizontal && a.revealed == b.revealed;
}

GroupLayouts layoutsToKeep(const GraphDrawing* previous, const GraphDocument& document,
                           const GraphFold& fold, const DrawingMetrics& metrics) {
    if (previous == nullptr || previous->document.get() != &document ||
        previous->metrics != metrics || !looksAlike(previous->fold, fold))
        return {};
    GroupLayouts layouts = previous->layouts;
    for (const int group : changedGroups(document, previous->fold, fold)) layouts.erase(group);
    return layouts;
}

/// Nests the layouts of groups and joins edges across their borders.
class Assembler {
public:
    explicit Assembler(GraphDrawing& drawing) : drawing_(drawing) {}

    void run() {
        size_t boxes = 0, edges = 0;
        for (const auto& [group, layout] : drawing_.layouts) {
            boxes += layout->items.size();
            edges += layout->edges.size();
        }
        drawing_.boxes.reserve(boxes);
        drawing_.edges.reserve(edges);
        place(*drawing_.layouts.at(0), {0, 0}, -1);
        join(*drawing_.layouts.at(0));
        for (const GraphBox& box : drawing_.boxes)
            drawing_.bounds = drawing_.bounds.united(box.rect);
        for (const GraphEdge& edge : drawing_.edges)
            drawing_.bounds = drawing_.bounds.united(edge.bounds);
    }

private:
    struct Instance {
        QPointF origin;
        std::vector<int> boxes;  ///< by item
    };

    QPointF turned(QPointF point) const {
        return drawing_.fold.horizontal ? point.transposed() : point;
    }

    void place(const GroupLayout& layout, QPointF origin, int parent) {
        Instance& instance = instances_[layout.group];
        instance.origin = origin;
        instance.boxes.reserve(layout.items.size());
        for (const GroupLayout::Item& item : layout.items) {
            instance.boxes.push_back(static_cast<int>(drawing_.boxes.size()));
            GraphBox box = item.box;
            box.parent = parent;
            const QRectF rect = item.rect.translated(origin);
            box.rect = QRectF(turned(rect.topLeft()), turned(rect.bottomRight()));
            drawing_.boxes.push_back(std::move(box));
            if (item.box.open) placeInside(item, rect.topLeft(), instance.boxes.back());
        }
    }

    void placeInside(const GroupLayout::Item& item, QPointF origin, int box) {
        place(*drawing_.layouts.at(item.box.group), origin, box);
    }

    const GroupLayout* inside(const GroupLayout& layout, int item) const {
        const GraphBox& box = layout.items[at(item)].box;
        return box.open ? drawing_.layouts.at(box.group).get() : nullptr;
    }

    /// Extends every edge between two items to the boxes that produce and read the value.
    void join(const GroupLayout& layout) {
        for (const GroupLayout::Edge& edge : layout.edges) {
            if (edge.from < 0 || edge.to < 0) continue;
            const Value* value = edge.values.front();
            std::vector<QPointF> points;
            const int source = backwards(layout, edge.from, value, points);
            append(points, layout, edge);
            forwards(layout, edge.to, value, source, std::move(points), edge.values);
        }
        for (const GroupLayout::Item& item : layout.items)
            if (item.box.open) join(*drawing_.layouts.at(item.box.group));
    }

    void append(std::vector<QPointF>& points, const GroupLayout& layout,
                const GroupLayout::Edge& edge) const {
        const QPointF origin = instances_.at(layout.group).origin;
        points.reserve(points.size() + edge.points.size());
        for (const QPointF& point : edge.points) {
            const QPointF placed = turned(point + origin);
            if (points.empty() || points.back() != placed) points.push_back(placed);
        }
    }

    /// The leaf box that produces the value; `points` get the path from there to the item.
    int backwards(const GroupLayout& layout, int item, const Value* value,
                  std::vector<QPointF>& points) const {
        const GroupLayout* open = inside(layout, item);
        if (open == nullptr) return instances_.at(layout.group).boxes[at(item)];
        const GroupLayout::Edge& edge = open->edges[at(open->toExit.at(value))];
        const int box = backwards(*open, edge.from, value, points);
        append(points, *open, edge);
        return box;
    }

    /// Adds the edges from `source` to all leaf boxes that read the value. `points`: the path to
    /// the item.
    void forwards(const GroupLayout& layout, int item, const Value* value, int source,
                  std::vector<QPointF> points, const std::vector<const Value*>& values) {
        const GroupLayout* open = inside(layout, item);
        if (open == nullptr) {
            addEdge(source, instances_.at(layout.group).boxes[at(item)], std::move(points), values);
            return;
        }
        for (const int index : open->fromEntry.at(value)) {
            const GroupLayout::Edge& edge = open->edges[at(index)];
            std::vector<QPointF> further = points;
            append(further, *open, edge);
            forwards(*open, edge.to, value, source, std::move(further), values);
        }
    }

    void addEdge(int from, int to, std::vector<QPointF> points,
                 const std::vector<const Value*>& values) {
        GraphEdge edge{from, to, values, std::move(points), flowLabel(values), {}, {}};
        QPointF low = edge.points.front(), high = low;
        for (const QPointF& point : edge.points) {
            low = {std::min(low.x(), point.x()), std::min(low.y(), point.y())};
            high = {std::max(high.x(), point.x()), std::max(high.y(), point.y())};
        }
        edge.bounds = QRectF(low, high).adjusted(-1, -1, 1, 1);
        drawing_.edges.push_back(std::move(edge));
    }

    GraphDrawing& drawing_;
    std::unordered_map<int, Instance> instances_;
};

}  // namespace

DrawingMetrics DrawingMetrics::fixed(double letter, double lineHeight) {
    DrawingMetrics metrics;
    metrics.titleWidths.fill(static_cast<float>(letter));
    metrics.textWidths.fill(static_cast<float>(letter));
    metrics.lineHeight = lineHeight;
    return metrics;
}

double DrawingMetrics::widthOf(const QString& text, const std::array<float, 128>& widths) {
    double width = 0;
    for (const QChar letter : text)
        width += letter.unicode() < 128 ? static_cast<double>(widths[letter.unicode()])
                                        : static_cast<double>(widths['m']);
    return width;
}

int GraphDrawing::boxOfNode(int node) const {
    int best = -1;
    for (size_t i = 0; i < boxes.size(); ++i) {
        const GraphBox& box = boxes[i];
        if (box.node == node) return static_cast<int>(i);
        if (box.group >= 0 && !box.open && document->isInside(node, box.group) &&
            !(document->isShapeNode(node) && !fold.shapeNodes && !fold.revealed.contains(node)))
            best = static_cast<int>(i);
    }
    return best;
}

int GraphDrawing::boxOfGroup(int group) const {
    for (size_t i = 0; i < boxes.size(); ++i)
        if (boxes[i].group == group) return static_cast<int>(i);
    return -1;
}

std::vector<const Value*> GraphDrawing::parametersOf(const GraphBox& box) const {
    if (box.node >= 0) return document->parametersOf(box.node);
    return box.group >= 0 ? document->parametersIn(box.group) : std::vector<const Value*>();
}

std::vector<const Node*> GraphDrawing::nodesOf(const GraphBox& box) const {
    std::vector<const Node*> nodes;
    if (box.node >= 0) nodes.push_back(&document->node(box.node));
    if (box.group >= 0)
        for (const int node : document->nodesIn(box.group)) nodes.push_back(&document->node(node));
    if (box.value != nullptr && box.value->producer() != nullptr)
        nodes.push_back(box.value->producer());
    if (box.kind == BoxKind::Input)
        for (const Value::Use& use : box.value->uses()) nodes.push_back(use.node);
    return nodes;
}

std::shared_ptr<const GraphDrawing> drawGraph(std::shared_ptr<const GraphDocument> document,
                                              const GraphFold& fold, const DrawingMetrics& metrics,
                                              const GraphDrawing* previous, std::stop_token stop) {
    GraphDrawing drawing;
    drawing.document = document;
    drawing.fold = fold;
    drawing.metrics = metrics;
    drawing.layouts = layoutsToKeep(previous, *document, fold, metrics);
    layoutGroup(*document, fold, metrics, 0, drawing.layouts, stop);
    Assembler(drawing).run();
    placeEdgeLabels(drawing);
    std::erase_if(drawing.layouts, [&](const auto& entry) {
        return entry.first != 0 && !fold.open.contains(entry.first);
    });
    return std::make_shared<const GraphDrawing>(std::move(drawing));
}

}  // namespace temper::ui
