// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_document.h"

#include <algorithm>
#include <deque>

#include "engine/ir/shape_nodes.h"

namespace temper::ui {
namespace {

/// Number of boxes that can be grasped at a glance.
constexpr int kSurveyed = 110;

}  // namespace

bool mayBeParameter(const Value& value) {
    if (!value.isInitializer()) return false;
    const Tensor& data = value.constant();
    return !value.isLiteral() || (isFloating(data.dtype()) && data.numElements() > 1);
}

GraphDocument::GraphDocument(std::shared_ptr<const Graph> graph, const OpCatalog& catalog,
                             const std::vector<Block>& blocks)
    : graph_(std::move(graph)), outline_(*graph_, blocks) {
    const auto shapes = shapeNodes(*graph_, catalog);
    const size_t count = outline_.nodes().size();
    reads_.resize(count);
    readers_.resize(count);
    parameters_.resize(count);
    place_.resize(count);
    families_.reserve(count);
    isShapeNode_.reserve(count);
    order_.reserve(count);
    names_.reserve(count);
    shapeNodeCount_ = static_cast<int>(shapes.size());
    for (size_t n = 0; n < count; ++n) {
        families_.push_back(catalog.facts(*outline_.nodes()[n]).family);
        isShapeNode_.push_back(shapes.contains(outline_.nodes()[n]));
        collectReads(static_cast<int>(n));
        collectParameters(static_cast<int>(n));
        names_.try_emplace(outline_.nodes()[n]->name(), static_cast<int>(n));
    }
    begins_.resize(outline_.groups().size());
    ends_.resize(outline_.groups().size());
    number(0);
}

void GraphDocument::collectReads(int index) {
    const auto add = [&](const Value* value) {
        if (value == nullptr || value->isInitializer()) return;
        const NodeRead read{value, value->producer() ? outline_.indexOf(value->producer()) : -1};
        auto& reads = reads_[at(index)];
        if (std::find(reads.begin(), reads.end(), read) != reads.end()) return;
        reads.push_back(read);
        if (read.producer < 0) return;
        auto& readers = readers_[at(read.producer)];
        if (readers.empty() || readers.back() != index) readers.push_back(index);
    };
    for (const Value* input : node(index).inputs()) add(input);
    for (const Value* captured : graph_->capturedBy(node(index))) add(captured);
}

void GraphDocument::collectParameters(int index) {
    auto& parameters = parameters_[at(index)];
    for (const Value* input : node(index).inputs())
        if (input != nullptr && mayBeParameter(*input) &&
            std::find(parameters.begin(), parameters.end(), input) == parameters.end())
            parameters.push_back(input);
}

void GraphDocument::number(int group) {
    begins_[at(group)] = static_cast<int>(order_.size());
    for (const OutlineItem& item : outline_.group(group).items) {
        if (item.group >= 0) {
            number(item.group);
            continue;
        }
        place_[at(item.node)] = static_cast<int>(order_.size());
        order_.push_back(item.node);
    }
    ends_[at(group)] = static_cast<int>(order_.size());
}

std::span<const int> GraphDocument::nodesIn(int group) const {
    return std::span(order_).subspan(at(begins_[at(group)]),
                                     at(ends_[at(group)] - begins_[at(group)]));
}

bool GraphDocument::isInside(int node, int group) const {
    return place_[at(node)] >= begins_[at(group)] && place_[at(node)] < ends_[at(group)];
}

std::vector<const Value*> GraphDocument::parametersIn(int group) const {
    std::vector<const Value*> all;
    for (const int node : nodesIn(group))
        all.insert(all.end(), parameters_[at(node)].begin(), parameters_[at(node)].end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::set<int> GraphDocument::shapeNodesBefore(int node) const {
    std::set<int> found;
    std::vector<int> open{node};
    while (!open.empty()) {
        const int next = open.back();
        open.pop_back();
        for (const NodeRead& read : reads(next))
            if (read.producer >= 0 && isShapeNode(read.producer) &&
                found.insert(read.producer).second)
                open.push_back(read.producer);
    }
    return found;
}

int GraphDocument::nodeNamed(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() || name.empty() ? -1 : found->second;
}

GraphFold firstFold(const GraphDocument& document) {
    const GraphOutline& outline = document.outline();
    GraphFold fold;
    fold.open.insert(0);
    int boxes = static_cast<int>(outline.group(0).items.size());
    std::deque<int> waiting{0};
    while (!waiting.empty()) {
        const int group = waiting.front();
        waiting.pop_front();
        for (const OutlineItem& item : outline.group(group).items) {
            if (item.group < 0) continue;
            const OutlineGroup& child = outline.group(item.group);
            const int more = static_cast<int>(child.items.size()) - 1;
            if (child.kind == OutlineKind::Block || child.kind == OutlineKind::Repeat ||
                child.kind == OutlineKind::Section || !child.block.empty() ||
                boxes + more > kSurveyed)
                continue;
            boxes += more;
            fold.open.insert(item.group);
            waiting.push_back(item.group);
        }
    }
    return fold;
}

void reveal(const GraphDocument& document, int node, GraphFold& fold) {
    for (const int group : document.outline().pathTo(document.outline().groupOf(node)))
        fold.open.insert(group);
    if (document.isShapeNode(node) && !fold.shapeNodes) fold.revealed.insert(node);
}

}  // namespace temper::ui
