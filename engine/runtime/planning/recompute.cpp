// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/recompute.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "engine/ir/blocks.h"
#include "engine/ir/captures.h"

namespace temper {
namespace {

/// Reading a value from memory takes about as long as a few operations for each of its bytes.
constexpr int64_t kCheapFlopsPerByte = 16;

using NodeSet = std::unordered_set<const Node*>;

bool isReadBackward(const Value& value) {
    return std::any_of(value.uses().begin(), value.uses().end(),
                       [](const Value::Use& use) { return use.node->isBackward(); });
}

/// Appends the repetitions of one segment's nodes to a graph.
class Repetition {
public:
    /// `nodes`: those of the segment, in order. `changing`: nodes that change their inputs.
    /// `kept`: nodes that are not repeated.
    Repetition(Graph& graph, const CapturingNodes& captured, const NodeSet& changing,
               const NodeSet& kept, std::vector<Node*> nodes)
        : graph_(graph),
          captured_(captured),
          changing_(changing),
          kept_(kept),
          nodes_(std::move(nodes)) {
        segment_.insert(nodes_.begin(), nodes_.end());
        findWanted();
    }

    void run() {
        for (Node* node : nodes_) {
            if (wanted_.contains(node)) repeat(*node);
        }
        for (const auto& [value, again] : again_) redirect(value, again);
    }

private:
    /// What a forward node outside the segment reads is kept anyway.
    bool isKept(const Value& value) const {
        if (value.isGraphOutput() || captured_.contains(&value) ||
            kept_.contains(value.producer())) {
            return true;
        }
        return std::any_of(value.uses().begin(), value.uses().end(), [&](const Value::Use& use) {
            return !use.node->isBackward() && !segment_.contains(use.node);
        });
    }

    /// Finds nodes with a value that is not kept and that the backward pass or a wanted node reads.
    /// If the main output is kept, so are the others (masks, statistics).
    void findWanted() {
        for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
            const auto& outputs = (*node)->outputs();
            const Value* main = (*node)->output(0);
            if (main != nullptr && isKept(*main)) continue;
            const bool isWanted =
                std::any_of(outputs.begin(), outputs.end(), [&](const Value* output) {
                    return output != nullptr && !isKept(*output) &&
                           (isReadBackward(*output) || isReadByWanted(*output));
                });
            if (isWanted) wanted_.insert(*node);
        }
    }

    bool isReadByWanted(const Value& value) const {
        return std::any_of(value.uses().begin(), value.uses().end(),
                           [&](const Value::Use& use) { return wanted_.contains(use.node); });
    }

    void repeat(const Node& node) {
        NodeSpec spec{.opType = node.opType(),
                      .inputs = {},
                      .outputs = {},
                      .attributes = node.attributes(),
                      .domain = node.domain(),
                      .name = node.name(),
                      .isBackward = true};
        for (Value* input : node.inputs()) {
            const auto found = again_.find(input);
            spec.inputs.push_back(found == again_.end() ? input : found->second);
        }
        for (const Value* output : node.outputs()) {
            spec.outputs.push_back(
                mayOmit(node, output) ? "" : graph_.uniqueName(output->name() + "_again"));
        }
        const Node* made = graph_.addNode(std::move(spec));
        for (size_t i = 0; i < node.outputs().size(); ++i) {
            if (made->output(i) == nullptr) continue;
            made->output(i)->setType(node.output(i)->type());
            if (!isKept(*node.output(i))) again_[node.output(i)] = made->output(i);
        }
    }

    /// Inputs are changed only once: their new values are no outputs of the repetition.
    bool mayOmit(const Node& node, const Value* output) const {
        return output == nullptr ||
               (changing_.contains(&node) && output != node.output(0) && output->uses().empty());
    }

    void redirect(Value* value, Value* again) {
        const auto& changing = value->uses();
        const std::vector<Value::Use> uses(changing.begin(), changing.end());
        for (const Value::Use& use : uses) {
            if (use.node->isBackward()) graph_.setInput(use.node, use.input, again);
        }
    }

    Graph& graph_;
    const CapturingNodes& captured_;
    const NodeSet& changing_;
    const NodeSet& kept_;
    std::vector<Node*> nodes_;
    NodeSet segment_;
    NodeSet wanted_;
    std::unordered_map<Value*, Value*> again_;  ///< by the value that it repeats
};

}  // namespace

Recomputation::Recomputation(const Graph& graph, RecomputationFacts facts)
    : graph_(graph), facts_(std::move(facts)) {
    for (const Node* node : graph.topologicalOrder()) {
        if (!node->isBackward()) forward_.push_back(node);
    }
    findCrossings();
}

/// Scores of attention are more than what they are computed from, and attention in blocks never
/// has all of them: they are not worth keeping, whatever they cost.
bool Recomputation::isDear(const Node& node) const {
    const auto bytesOf = [&](const Value* value) {
        return value == nullptr ? 0 : static_cast<int64_t>(facts_.bytes(*value));
    };
    const int64_t made = bytesOf(node.output(0));
    const auto isSmaller = [&](const Value* value) {
        return bytesOf(value) > 0 && bytesOf(value) < made;
    };
    if (isSmaller(node.input(0)) && isSmaller(node.input(1))) return false;
    return facts_.flops(node) > kCheapFlopsPerByte * made;
}

void Recomputation::findCrossings() {
    std::unordered_map<const Node*, size_t> position;
    for (size_t i = 0; i < forward_.size(); ++i) position[forward_[i]] = i;
    std::vector<int64_t> change(forward_.size() + 1, 0);
    size_t saved = 0;
    for (size_t i = 0; i < forward_.size(); ++i) {
        for (const Value* output : forward_[i]->outputs()) {
            if (output == nullptr) continue;
            const size_t bytes = facts_.bytes(*output);
            if (isReadBackward(*output)) saved += bytes;
            size_t last = i;
            for (const Value::Use& use : output->uses()) {
                const auto found = position.find(use.node);
                if (found != position.end()) last = std::max(last, found->second);
            }
            change[i] += static_cast<int64_t>(bytes);
            change[last] -= static_cast<int64_t>(bytes);
        }
        saved_.push_back(saved);
    }
    int64_t crossing = 0;
    for (size_t i = 0; i < forward_.size(); ++i) {
        crossing += change[i];
        crossing_.push_back(static_cast<size_t>(crossing));
    }
}

/// The last node of each segment but the last. Around each equal share, up to half of one away, the
/// place that the fewest bytes cross.
std::vector<size_t> Recomputation::cutsFor(size_t count) const {
    std::vector<size_t> cuts;
    if (forward_.empty()) return cuts;
    const double share = static_cast<double>(saved_.back()) / static_cast<double>(count);
    for (size_t k = 1; k < count; ++k) {
        const auto placeOf = [&](double shares) {
            const auto at = std::lower_bound(saved_.begin(), saved_.end(),
                                             static_cast<size_t>(std::max(0.0, shares * share)));
            return std::min(static_cast<size_t>(at - saved_.begin()), saved_.size() - 1);
        };
        const auto middle = static_cast<double>(k);
        const size_t first = placeOf(middle - 0.5), last = placeOf(middle + 0.5);
        size_t best = first;
        for (size_t i = first; i <= last; ++i) {
            if (crossing_[i] <= crossing_[best]) best = i;
        }
        if (cuts.empty() || best > cuts.back()) cuts.push_back(best);
    }
    return cuts;
}

std::unique_ptr<Graph> Recomputation::inSegments(size_t count, Repeated repeated) const {
    Segments segments;
    size_t begin = 0, segment = 0;
    for (const size_t cut : cutsFor(count)) {
        for (; begin <= cut; ++begin) segments[forward_[begin]] = segment;
        ++segment;
    }
    return repeat(segments, repeated);
}

std::unique_ptr<Graph> Recomputation::ofBlocks(const std::vector<std::string>& kinds,
                                               const OpCatalog& catalog) const {
    Segments segments;
    size_t segment = 0;
    for (const Block& block : recognizeBlocks(graph_, catalog)) {
        if (std::find(kinds.begin(), kinds.end(), block.kind) == kinds.end()) continue;
        for (const Node* node : block.nodes) {
            if (!node->isBackward()) segments[node] = segment;
        }
        ++segment;
    }
    return repeat(segments, Repeated::All);
}

/// Repetitions are defined after everything else, those of the last segment first: the backward
/// pass waits for them in that order, and nothing runs before something waits for it.
std::unique_ptr<Graph> Recomputation::repeat(const Segments& segments, Repeated repeated) const {
    std::unique_ptr<Graph> copy = graph_.clone();
    const CapturingNodes captured = capturingNodes(*copy);
    // A copy has its nodes in the order in which those of the original run.
    const std::vector<Node*> originals = graph_.topologicalOrder();
    const std::vector<Node*> copies = copy->nodes();
    std::map<size_t, std::vector<Node*>, std::greater<>> nodes;
    NodeSet changing, kept;
    for (size_t i = 0; i < originals.size(); ++i) {
        const auto found = segments.find(originals[i]);
        if (found == segments.end()) continue;
        nodes[found->second].push_back(copies[i]);
        if (facts_.changesInputs(*originals[i])) changing.insert(copies[i]);
        if (repeated == Repeated::Cheap && isDear(*originals[i])) kept.insert(copies[i]);
    }
    for (auto& [segment, members] : nodes) {
        Repetition(*copy, captured, changing, kept, std::move(members)).run();
    }
    return copy;
}

}  // namespace temper
