// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/loss_info.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "engine/training/loss/language_model.h"
#include "engine/training/loss/loss_nodes.h"

namespace temper {
namespace {

using NodeSet = std::unordered_set<const Node*>;

/// Prediction and target are the two inputs of a symmetric node; the target is the graph input.
bool takeOperands(const Node* node, LossInfo& info) {
    if (node == nullptr) return false;
    const Value* a = node->input(0);
    const Value* b = node->input(1);
    if (a->isGraphInput() && !b->isGraphInput()) std::swap(a, b);
    info.prediction = a->name();
    info.target = b->name();
    return true;
}

/// mean(f(...)) of the plain losses.
void describeMean(const Value* mean, LossInfo& info) {
    if (const Node* power = producerOf(mean, "Pow")) {
        if (takeOperands(producerOf(power->input(0), "Sub"), info)) info.kind = "mse";
    } else if (const Node* absolute = producerOf(mean, "Abs")) {
        if (takeOperands(producerOf(absolute->input(0), "Sub"), info)) info.kind = "l1";
    } else if (const Node* difference = producerOf(mean, "Sub")) {
        const Node* softplus = producerOf(difference->input(0), "Softplus");
        const Node* product = producerOf(difference->input(1), "Mul");
        if (softplus != nullptr && takeOperands(product, info)) info.kind = "bce-with-logits";
    } else if (const Node* negative = producerOf(mean, "Neg")) {
        const Node* sum = producerOf(negative->input(0), "Add");
        const Node* product = sum == nullptr ? nullptr : producerOf(sum->input(0), "Mul");
        const Node* log = product == nullptr ? nullptr : producerOf(product->input(0), "Log");
        const Node* sigmoid = log == nullptr ? nullptr : producerOf(log->input(0), "Sigmoid");
        if (sigmoid == nullptr) return;
        info.kind = "bce-with-logits";
        info.prediction = sigmoid->input(0)->name();
        info.target = product->input(1)->name();
    }
}

void noteName(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Whether nothing in the forward model reads it.
bool isReadByLossOnly(const Value& input, const NodeSet& loss) {
    return std::all_of(input.uses().begin(), input.uses().end(), [&](const Value::Use& use) {
        return loss.contains(use.node) || use.node->isBackward();
    });
}

void collectReads(const std::vector<const Node*>& nodes, LossInfo& info) {
    const NodeSet loss(nodes.begin(), nodes.end());
    for (const Node* node : nodes) {
        for (const Value* input : node->inputs()) {
            if (input == nullptr) continue;
            if (input->producer() != nullptr && !loss.contains(input->producer())) {
                noteName(info.predictions, input->name());
            } else if (input->isGraphInput() && isReadByLossOnly(*input, loss)) {
                noteName(info.targets, input->name());
            }
        }
    }
}

/// The one input that the one prediction is compared with; others may weight the loss.
const Value* comparedTarget(const Graph& model, const std::vector<const Node*>& nodes,
                            const LossInfo& info) {
    if (info.predictions.size() != 1) return nullptr;
    if (info.targets.size() == 1) return model.find(info.targets.front());
    const Value* prediction = model.find(info.predictions.front());
    std::set<const Value*> compared;
    for (const Node* node : nodes) {
        if (beforeTransposition(node->input(0)) != prediction) continue;
        const Value* other = node->input(1);
        if (other != nullptr && std::ranges::count(info.targets, other->name()) > 0)
            compared.insert(other);
    }
    return compared.size() == 1 ? *compared.begin() : nullptr;
}

/// The kind of a loss that consists of several nodes, from one prediction and one target.
void describeKind(const Graph& model, const std::vector<const Node*>& nodes, LossInfo& info) {
    const Value* target = comparedTarget(model, nodes, info);
    const Value* prediction = target == nullptr ? nullptr : model.find(info.predictions.front());
    if (prediction == nullptr) return;
    info.prediction = prediction->name();
    for (const Node* node : nodes) {
        if (beforeTransposition(node->input(0)) != prediction) continue;
        if (node->opType() == "Softplus") info.kind = "bce-with-logits";
        if (node->input(1) != target) continue;
        if (isClassLoss(*node)) {
            info.kind = "cross-entropy";
            info.prediction = node->input(0)->name();
            info.ignoredLabel = ignoredLabelOf(*node);
        } else if (node->opType() == "Sub" && prediction->type() == target->type()) {
            info.kind = "regression";
        }
    }
    if (info.kind == "custom") return info.prediction.clear();
    info.target = target->name();
}

/// The one node of the loss whose labels the loss itself computes.
const Node* nodeWithMadeLabels(const std::vector<const Node*>& nodes) {
    const NodeSet loss(nodes.begin(), nodes.end());
    std::vector<const Node*> found;
    for (const Node* node : nodes) {
        if (isClassLoss(*node) && loss.contains(node->input(1)->producer())) found.push_back(node);
    }
    return found.size() == 1 ? found.front() : nullptr;
}

/// The number that an "Equal" compares with.
std::optional<int64_t> comparedNumber(const Node& node) {
    if (node.opType() != "Equal" || !node.input(1)->isInitializer()) return std::nullopt;
    return node.input(1)->constant().toInt64();
}

/// Recognizes labels that are the next tokens: a part of the one input that they are computed from.
/// Returns: whether they are.
bool describeTokens(const std::vector<const Node*>& nodes, LossInfo& info) {
    const Node* made = nodeWithMadeLabels(nodes);
    if (made == nullptr) return false;
    std::vector<std::string> inputs;
    std::vector<const Value*> open = {made->input(1)};
    bool arePart = false;
    while (!open.empty()) {
        const Value* value = open.back();
        open.pop_back();
        const bool isMask = helperInput(value->name(), value->type()) == HelperInput::AttentionMask;
        if (value->isGraphInput() && !isMask) noteName(inputs, value->name());
        if (value->producer() == nullptr) continue;
        arePart = arePart || value->producer()->opType() == "Slice";
        if (const auto number = comparedNumber(*value->producer())) info.padToken = number;
        for (const Value* input : value->producer()->inputs()) {
            if (input != nullptr) open.push_back(input);
        }
    }
    if (!arePart || inputs.size() != 1) return false;
    info.kind = "cross-entropy";
    info.prediction = made->input(0)->name();
    info.ignoredLabel = ignoredLabelOf(*made);
    info.labels = made->input(1)->name();
    info.tokens = inputs.front();
    info.predictions = {beforeTransposition(made->input(0))->name()};
    return true;
}

}  // namespace

LossInfo describeLoss(const Graph& model) {
    LossInfo info;
    info.kind = "custom";
    if (model.outputs().empty()) return info;
    const Value* loss = model.outputs().front();
    info.loss = loss->name();
    const Node* node = loss->producer();
    if (node == nullptr) return info;
    const std::vector<const Node*> nodes = lossNodes(model);
    collectReads(nodes, info);
    if (describeTokens(nodes, info)) return info;
    if (isClassLoss(*node)) {
        info.kind = "cross-entropy";
        info.prediction = node->input(0)->name();
        info.target = node->input(1)->name();
        info.ignoredLabel = ignoredLabelOf(*node);
    } else if (node->opType() == "ReduceMean") {
        describeMean(node->input(0), info);
    }
    if (info.kind == "custom") {
        describeKind(model, nodes, info);
    } else {
        info.predictions = {beforeTransposition(model.find(info.prediction))->name()};
        info.targets = {info.target};
    }
    return info;
}

}  // namespace temper
