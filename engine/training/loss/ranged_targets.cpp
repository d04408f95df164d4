// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/ranged_targets.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "engine/training/loss/loss_nodes.h"

namespace temper {
namespace {

/// A number or a list of them that is part of the loss.
bool isConstant(const Value* value) { return value != nullptr && value->isInitializer(); }

/// The other operand of a product with `value`; null if the node is none.
const Value* factorBeside(const Node& node, const Value* value) {
    if (node.opType() != "Mul") return nullptr;
    return node.input(0) == value ? node.input(1) : node.input(0);
}

/// Recognizes which loss reads a target from the nodes that read it.
class LossReaders {
public:
    explicit LossReaders(const Graph& model)
        : nodes_(lossNodes(model)), set_(nodes_.begin(), nodes_.end()) {}

    const std::vector<const Node*>& nodes() const { return nodes_; }

    /// The loss whose target is the graph input `t`, which `node` reads; absent if none is known.
    std::optional<Selection> lossOf(const Node& node, const Value* t) const {
        if (node.opType() == "Exp") {
            if (!isLogDivergence(node, t)) return std::nullopt;
            return Selection{"kl-div", {{"log_target", 1}}};
        }
        const Value* factor = factorBeside(node, t);
        if (factor == nullptr) return std::nullopt;
        const Value* product = node.output(0);
        if (const Node* losses = plainBinary(product, factor))
            return Selection{isFocal(*losses, factor, t) ? "binary-focal" : "bce-with-logits", {}};
        if ((isWeightedBinary(factor) || isBinaryOfOrt(factor)) && isComplemented(t))
            return Selection{"bce-with-logits", {}};
        if (isHinge(product)) return Selection{"hinge", {}};
        if (isDivergence(factor, t)) return Selection{"kl-div", {}};
        if (isConstant(factor) && isCosine(product)) return Selection{"cosine-embedding", {}};
        return std::nullopt;
    }

private:
    /// The nodes of the loss of this operator that read the value.
    std::vector<const Node*> readers(const Value* value, std::string_view opType) const {
        std::vector<const Node*> found;
        for (const Value::Use& use : value->uses()) {
            if (use.node->opType() == opType && set_.contains(use.node)) found.push_back(use.node);
        }
        return found;
    }

    /// softplus(x) - x t, given x t.
    const Node* plainBinary(const Value* product, const Value* x) const {
        for (const Node* node : readers(product, "Sub")) {
            const Node* softplus = producerOf(node->input(0), "Softplus");
            if (node->input(1) == product && softplus != nullptr && softplus->input(0) == x)
                return node;
        }
        return nullptr;
    }

    /// The factors that binary cross entropy lacks: of s(x) + t, or (2 alpha - 1) t + 1 - alpha.
    bool isFocal(const Node& losses, const Value* x, const Value* t) const {
        for (const Node* node : readers(t, "Add")) {
            const Node* sigmoid = producerOf(node->input(0), "Sigmoid");
            if (sigmoid != nullptr && sigmoid->input(0) == x) return true;
        }
        return std::ranges::any_of(readers(losses.output(0), "Mul"), [&](const Node* node) {
            const Node* sum = producerOf(factorBeside(*node, losses.output(0)), "Add");
            const Node* scaled = sum == nullptr ? nullptr : producerOf(sum->input(0), "Mul");
            return scaled != nullptr && scaled->input(0) == t && isConstant(scaled->input(1));
        });
    }

    /// t softplus(-x)
    static bool isWeightedBinary(const Value* factor) {
        const Node* softplus = producerOf(factor, "Softplus");
        return softplus != nullptr && producerOf(softplus->input(0), "Neg") != nullptr;
    }

    /// 1 - t; without it, t is a weight.
    bool isComplemented(const Value* t) const {
        return std::ranges::any_of(readers(t, "Sub"), [&](const Node* node) {
            return node->input(1) == t && isConstant(node->input(0));
        });
    }

    /// log(s(x)) t
    static bool isBinaryOfOrt(const Value* factor) {
        const Node* log = producerOf(factor, "Log");
        return log != nullptr && producerOf(log->input(0), "Sigmoid") != nullptr;
    }

    /// relu(margin - x t), given x t.
    bool isHinge(const Value* product) const {
        return std::ranges::any_of(readers(product, "Sub"), [&](const Node* node) {
            return node->input(1) == product && isConstant(node->input(0)) &&
                   !readers(node->output(0), "Relu").empty();
        });
    }

    /// t (log(clip(t)) - x)
    static bool isDivergence(const Value* factor, const Value* t) {
        const Node* difference = producerOf(factor, "Sub");
        const Node* log = difference == nullptr ? nullptr : producerOf(difference->input(0), "Log");
        const Node* clip = log == nullptr ? nullptr : producerOf(log->input(0), "Clip");
        return clip != nullptr && clip->input(0) == t;
    }

    /// exp(t) (t - x), given exp(t).
    bool isLogDivergence(const Node& exp, const Value* t) const {
        return std::ranges::any_of(readers(exp.output(0), "Mul"), [&](const Node* node) {
            const Node* difference = producerOf(factorBeside(*node, exp.output(0)), "Sub");
            return difference != nullptr && difference->input(0) == t;
        });
    }

    /// (t / 2 + 1 / 2) (1 - similarity), given t / 2; a similarity is a quotient by a length.
    bool isCosine(const Value* half) const {
        for (const Node* sum : readers(half, "Add")) {
            for (const Node* product : readers(sum->output(0), "Mul")) {
                const Node* distance = producerOf(factorBeside(*product, sum->output(0)), "Sub");
                const Node* quotient =
                    distance == nullptr ? nullptr : producerOf(distance->input(1), "Div");
                if (quotient != nullptr && producerOf(quotient->input(1), "Sqrt") != nullptr)
                    return true;
            }
        }
        return false;
    }

    std::vector<const Node*> nodes_;
    std::unordered_set<const Node*> set_;
};

bool contains(const std::vector<RangedTarget>& targets, const RangedTarget& target) {
    return std::ranges::any_of(targets, [&](const RangedTarget& known) {
        return known.input == target.input && known.loss == target.loss &&
               known.range.words == target.range.words;
    });
}

}  // namespace

std::vector<RangedTarget> rangedTargets(const Graph& model) {
    const LossReaders readers(model);
    std::vector<RangedTarget> targets;
    for (const Node* node : readers.nodes()) {
        for (const Value* input : node->inputs()) {
            if (input == nullptr || !input->isGraphInput()) continue;
            const std::optional<Selection> selection = readers.lossOf(*node, input);
            const LossFunction* loss = selection ? findLossFunction(selection->key) : nullptr;
            if (loss == nullptr || !loss->targets) continue;
            const std::optional<TargetRange> range = loss->targets(*selection);
            if (!range) continue;
            RangedTarget target{input->name(), loss->choice.label, *range};
            if (!contains(targets, target)) targets.push_back(std::move(target));
        }
    }
    return targets;
}

}  // namespace temper
