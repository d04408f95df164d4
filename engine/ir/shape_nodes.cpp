// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/shape_nodes.h"

#include <algorithm>

namespace temper {
namespace {

/// Floating-point tensors up to this size may be scales or bounds; larger ones are weights.
constexpr int64_t kSmallConstant = 8;

/// Random numbers depend on a seed, bodies on more than their inputs.
bool isComputation(const OperatorFacts& facts) {
    return !facts.isRandom && facts.family != OperatorFamily::Control;
}

bool isSmallConstant(const Value& value) {
    if (!value.isInitializer()) return false;
    const Tensor& data = value.constant();
    return value.isLiteral() || !isFloating(data.dtype()) || data.numElements() <= kSmallConstant;
}

class ShapeNodeFinder {
public:
    ShapeNodeFinder(const Graph& graph, const OpCatalog& catalog)
        : graph_(graph), catalog_(catalog) {}

    std::unordered_set<const Node*> run() {
        for (const Node* node : graph_.topologicalOrder())
            if (isShapeNode(*node)) found_.insert(node);
        keepWhatHasReaders();
        return std::move(found_);
    }

private:
    bool isShapeNode(const Node& node) const {
        const bool makesOutput = std::any_of(
            node.outputs().begin(), node.outputs().end(),
            [](const Value* output) { return output != nullptr && output->isGraphOutput(); });
        const OperatorFacts& facts = catalog_.facts(node);
        if (makesOutput || !isComputation(facts)) return false;
        if (facts.measuresShape) return true;
        return std::all_of(node.inputs().begin(), node.inputs().end(), [this](const Value* input) {
            return input == nullptr || isSmallConstant(*input) ||
                   (input->producer() != nullptr && found_.contains(input->producer()));
        });
    }

    /// What nothing reads does not compute shapes for anything.
    void keepWhatHasReaders() {
        std::erase_if(found_, [](const Node* node) {
            return std::none_of(node->outputs().begin(), node->outputs().end(),
                                [](const Value* v) { return v != nullptr && !v->uses().empty(); });
        });
    }

    const Graph& graph_;
    const OpCatalog& catalog_;
    std::unordered_set<const Node*> found_;
};

}  // namespace

std::unordered_set<const Node*> shapeNodes(const Graph& graph, const OpCatalog& catalog) {
    return ShapeNodeFinder(graph, catalog).run();
}

}  // namespace temper
