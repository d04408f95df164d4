// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/class_targets.h"

#include <algorithm>
#include <unordered_set>

#include "engine/training/loss/loss_nodes.h"

namespace temper {
namespace {

/// The size of an axis; 0 if it is unknown.
int64_t sizeOf(const Value& value, int64_t axis) {
    if (axis < 0 || value.type().rank() <= axis) return 0;
    const Dim& dim = (*value.type().shape)[static_cast<size_t>(axis)];
    return dim.isNumber() ? dim.value : 0;
}

/// Nodes of losses, also the one that a model ends with that computes its loss itself.
std::vector<const Node*> nodesOfLosses(const Graph& model) {
    std::vector<const Node*> nodes = lossNodes(model);
    const Node* last = model.outputs().empty() ? nullptr : model.outputs().front()->producer();
    if (nodes.empty() && last != nullptr) nodes.push_back(last);
    return nodes;
}

/// Cross entropy, log-likelihood and focal loss.
std::optional<ClassTarget> targetOfClassLoss(const Node& node) {
    const Value* labels = node.input(1);
    if (!isClassLoss(node) || labels == nullptr || !labels->isGraphInput()) return std::nullopt;
    const Value* logits = node.input(0);
    return ClassTarget{labels->name(), beforeTransposition(logits)->name(), sizeOf(*logits, 1),
                       ignoredLabelOf(node)};
}

/// CTC picks the log-probabilities of the labels, after it put the blank in place of those that are
/// none.
class PickedLabels {
public:
    explicit PickedLabels(const std::vector<const Node*>& nodes)
        : loss_(nodes.begin(), nodes.end()) {}

    std::optional<ClassTarget> targetOf(const Node& node) const {
        if (node.opType() != "GatherElements") return std::nullopt;
        const Node* turned = producerOf(node.input(0), "Transpose");
        const Node* shares =
            producerOf(turned == nullptr ? node.input(0) : turned->input(0), "LogSoftmax");
        const Value* labels = shares == nullptr ? nullptr : labelsOf(node.input(1));
        if (labels == nullptr || !labels->isGraphInput()) return std::nullopt;
        const Value* logits = shares->input(0);
        return ClassTarget{
            labels->name(), logits->name(), sizeOf(*logits, logits->type().rank() - 1), {}, true};
    }

private:
    /// What the one choice reads that the indices follow from; null if there are several.
    const Value* labelsOf(const Value* indices) const {
        std::unordered_set<const Value*> seen{indices};
        std::vector<const Value*> open{indices};
        std::vector<const Value*> found;
        while (!open.empty()) {
            const Node* node = open.back()->producer();
            open.pop_back();
            if (!loss_.contains(node)) continue;
            if (node->opType() == "Where") {
                found.push_back(node->input(2));
                continue;
            }
            for (const Value* input : node->inputs()) {
                if (input != nullptr && seen.insert(input).second) open.push_back(input);
            }
        }
        return found.size() == 1 ? found.front() : nullptr;
    }

    std::unordered_set<const Node*> loss_;
};

}  // namespace

std::vector<ClassTarget> classTargets(const Graph& model) {
    const std::vector<const Node*> nodes = nodesOfLosses(model);
    const PickedLabels picked(nodes);
    std::vector<ClassTarget> targets;
    for (const Node* node : nodes) {
        std::optional<ClassTarget> target = targetOfClassLoss(*node);
        if (!target) target = picked.targetOf(*node);
        if (target && target->classes > 0 && std::ranges::find(targets, *target) == targets.end())
            targets.push_back(std::move(*target));
    }
    return targets;
}

}  // namespace temper
