// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/ir/block_attention.h"
#include "engine/runtime/graph_folding.h"
#include "engine/runtime/passes/attention_match.h"
#include "engine/runtime/passes/node_match.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

namespace names = block_attention;

bool mayBeAttention(const Node* node) {
    return isOnnx(node, "Softmax") && node->input(0)->producer() != nullptr;
}

/// Whether the node passes its first input on as it is: a Cast to the type that it has already, as
/// of softmax(scores, dtype=float32), or a Dropout that doesn't train.
bool isCopy(const Node* node) {
    const Value *from = node->input(0), *to = node->output(0);
    if (from == nullptr || to == nullptr || from->isGraphInput() || !from->type().isKnown() ||
        !from->type().isTensor() || from->type().dtype != to->type().dtype)
        return false;
    if (isOnnx(node, "Dropout")) {
        return node->output(1) == nullptr &&
               (node->input(2) == nullptr || isNumber(node->input(2), 0));
    }
    return isOnnx(node, "Identity") || isOnnx(node, "Cast") || isOnnx(node, "CastLike");
}

void skipCopies(Graph& graph, const std::unordered_set<const Value*>& captured) {
    for (Node* node : graph.nodes()) {
        if (!isCopy(node) || node->output(0)->isGraphOutput() || captured.contains(node->output(0)))
            continue;
        graph.replaceUses(node->output(0), node->input(0));
        graph.removeNode(node);
    }
}

/// Whether there are so many scores that it is better not to keep them. Blocks compute them again
/// in the backward pass; that costs time up to this limit, unless positions leave out whole blocks
/// of keys. Measured with attention_bench_test.
bool paysOff(const Node& softmax, const AttentionMatch& match) {
    constexpr int64_t kMinScores = 1024 * 1024, kMinScoresByPositions = 512 * 512;
    const Shape shape = *concreteShape(*softmax.output(0)->type().shape);
    const int64_t scores = shape[shape.size() - 2] * shape.back();
    return scores >= (match.sight.pairs.empty() ? kMinScores : kMinScoresByPositions);
}

/// Replaces a match by the operators of block_attention.h.
class AttentionReplacement {
public:
    AttentionReplacement(Graph& graph, const AttentionMatch& match)
        : graph_(graph), match_(match) {}

    void replace() {
        for (Node* shape : match_.shapes) fixShape(shape);
        const std::string stem =
            match_.chosen != nullptr ? match_.chosen->output(0)->name() : match_.dy->name();
        Node* forward = addForward(stem);
        if (match_.dy != nullptr) addBackward(*forward, stem);
        if (match_.chosen != nullptr) graph_.replaceNode(match_.chosen, {forward->output(0)});
        replaceSeesAny();
    }

private:
    /// Readers of the shape of an array that will be removed get it as a constant.
    void fixShape(Node* shape) {
        if (shape->output(0) == nullptr || shape->output(0)->isInitializer()) return;
        std::vector<int64_t> sizes;
        for (const Dim& dim : *shape->input(0)->type().shape) sizes.push_back(dim.value);
        const auto rank = static_cast<int64_t>(sizes.size());
        Tensor data(DType::Int64, {rank});
        std::ranges::copy(sizes, data.mutableValues<int64_t>().begin());
        graph_.makeInitializer(shape->output(0), std::move(data));
    }

    Node* addForward(const std::string& stem) {
        std::vector<Value*> inputs = {match_.q, keys(), match_.v};
        addSight(inputs, match_.bias);
        std::vector<std::string> outputs = {graph_.uniqueName(stem + "/blocks")};
        if (match_.dy != nullptr) {
            outputs.push_back(graph_.uniqueName(stem + "/maxima"));
            outputs.push_back(graph_.uniqueName(stem + "/sums"));
        }
        const bool isInForward = match_.chosen != nullptr;
        return graph_.addNode(
            {.opType = std::string(names::kForward),
             .inputs = std::move(inputs),
             .outputs = std::move(outputs),
             .attributes = attributes(),
             .domain = std::string(names::kDomain),
             .name = stem + "/blocks",
             .docString = isInForward ? match_.chosen->docString() : std::string(),
             .isBackward = !isInForward || match_.chosen->isBackward()});
    }

    void addBackward(const Node& forward, const std::string& stem) {
        std::vector<Value*> inputs = {match_.dy,        match_.q,          keys(),
                                      match_.v,         forward.output(0), forward.output(1),
                                      forward.output(2)};
        addSight(inputs, match_.bias);
        const auto nameOf = [&](const Node* product, const char* suffix) {
            return product == nullptr ? std::string() : graph_.uniqueName(stem + suffix);
        };
        Node* node = graph_.addNode({.opType = std::string(names::kBackward),
                                     .inputs = std::move(inputs),
                                     .outputs = {nameOf(match_.dq, "/dq"), nameOf(match_.dk, "/dk"),
                                                 nameOf(match_.dv, "/dv")},
                                     .attributes = attributes(),
                                     .domain = std::string(names::kDomain),
                                     .name = stem + "/blocks_grad",
                                     .isBackward = true});
        if (match_.dq != nullptr) graph_.replaceNode(match_.dq, {node->output(0)});
        if (match_.dv != nullptr) graph_.replaceNode(match_.dv, {node->output(2)});
        if (match_.dk != nullptr) replaceKeyGradient(node->output(1));
    }

    /// k as [..., keys, size].
    Value* keys() {
        if (match_.keyOrder.empty()) return match_.k;
        if (keys_ == nullptr) {
            const Node* turn = graph_.addNode({"Transpose",
                                               {match_.k},
                                               {graph_.uniqueName(match_.k->name() + "/keys")},
                                               {{"perm", match_.keyOrder}}});
            keys_ = turn->output(0);
        }
        return keys_;
    }

    /// The operator gives the gradient of keys(); the model has that of k, or keeps it transposed.
    void replaceKeyGradient(Value* dk) {
        std::vector<int64_t> order = match_.keyOrder;
        if (match_.isDkTurned) {
            order.resize(match_.k->type().rank());
            std::iota(order.begin(), order.end(), 0);
            std::swap(order[order.size() - 2], order.back());
        }
        if (!order.empty()) {
            std::vector<int64_t> back(order.size());
            for (size_t i = 0; i < order.size(); ++i)
                back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
            const Node* turn =
                graph_.addNode({.opType = "Transpose",
                                .inputs = {dk},
                                .outputs = {graph_.uniqueName(dk->name() + "/transposed")},
                                .attributes = {{"perm", back}},
                                .isBackward = true});
            dk = turn->output(0);
        }
        graph_.replaceNode(match_.dk, {dk});
    }

    void addSight(std::vector<Value*>& inputs, Value* bias) {
        if (pairs_.empty()) {
            for (const AttentionSight::Pair& pair : match_.sight.pairs) {
                pairs_.push_back(valueOf(pair.lower));
                pairs_.push_back(valueOf(pair.upper));
            }
        }
        inputs.push_back(bias);
        inputs.push_back(mask());
        inputs.insert(inputs.end(), pairs_.begin(), pairs_.end());
    }

    Value* valueOf(const AttentionSight::Positions& positions) {
        if (positions.value != nullptr) return positions.value;
        return graph_.addLiteral(graph_.uniqueName("positions"), positions.known);
    }

    /// All masks as one, true for keys that are seen.
    Value* mask() {
        if (mask_ != nullptr) return mask_;
        for (const AttentionSight::Mask& mask : match_.sight.masks) {
            Value* seen = mask.value;
            if (mask.hides) seen = added("Not", {seen}, mask.value->name() + "/seen");
            mask_ =
                mask_ == nullptr ? seen : added("And", {mask_, seen}, mask.value->name() + "/both");
        }
        return mask_;
    }

    Value* added(const char* op, std::vector<Value*> inputs, const std::string& name) {
        return graph_.addNode({op, std::move(inputs), {graph_.uniqueName(name)}})->output(0);
    }

    Attributes attributes() const {
        std::vector<int64_t> strict;
        for (const AttentionSight::Pair& pair : match_.sight.pairs)
            strict.push_back(pair.isStrict ? 1 : 0);
        return {{names::kBatch, match_.batch},
                {names::kHeads, match_.heads},
                {names::kScale, match_.scale},
                {names::kSoftcap, match_.softcap},
                {names::kHides, int64_t{match_.hides}},
                {names::kInfiniteHides, int64_t{match_.sight.infiniteHides}},
                {names::kStrict, strict},
                {names::kBlind, static_cast<int64_t>(match_.blind)}};
    }

    /// Greater(ReduceSum(Cast(seen)), 0), over the keys.
    void replaceSeesAny() {
        if (match_.seen == nullptr) return;
        const auto reader = [](const Value* value, const char* op) -> Node* {
            const auto& uses = value->uses();
            const auto found = std::ranges::find_if(
                uses, [&](const Value::Use& use) { return use.node->opType() == op; });
            return found == uses.end() ? nullptr : found->node;
        };
        const Node* cast = reader(match_.seen, "Cast");
        const Node* sum = cast == nullptr ? nullptr : reader(cast->output(0), "ReduceSum");
        Node* any = sum == nullptr ? nullptr : reader(sum->output(0), "Greater");
        if (any == nullptr || !isOverKeys(*sum) || numberIn(any->input(1)) != 0.0) return;
        std::vector<Value*> inputs;
        addSight(inputs, match_.sight.infiniteHides ? match_.bias : nullptr);
        const Node* node = graph_.addNode({std::string(names::kSeesAny),
                                           std::move(inputs),
                                           {graph_.uniqueName(any->output(0)->name() + "/any")},
                                           attributes(),
                                           std::string(names::kDomain)});
        graph_.replaceNode(any, {node->output(0)});
    }

    static bool isOverKeys(const Node& sum) {
        const Value* axes = sum.input(1);
        if (axes == nullptr || sum.attribute<int64_t>("keepdims", 1) != 1) return false;
        const std::optional<double> axis = numberIn(axes);
        return axis &&
               (*axis == -1 || *axis == static_cast<double>(sum.input(0)->type().rank() - 1));
    }

    Graph& graph_;
    const AttentionMatch& match_;
    Value* keys_ = nullptr;
    Value* mask_ = nullptr;
    std::vector<Value*> pairs_;
};

}  // namespace

std::unique_ptr<Graph> fuseAttention(const Graph& graph, const InputTypes& inputTypes,
                                     const OpCatalog& catalog, const KernelRegistry& kernels,
                                     const PlanOptions& options) {
    const std::vector<Node*> nodes = graph.nodes();
    if (std::ranges::none_of(nodes, mayBeAttention)) return nullptr;
    if (catalog.find(names::kDomain, names::kForward) == nullptr) return nullptr;
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    const std::unordered_set<const Value*> captured = capturedValues(*result);
    skipCopies(*result, captured);
    foldKnownValues(*result, catalog, kernels);
    bool isChanged = false;
    for (Node* node : result->nodes()) {
        if (!mayBeAttention(node)) continue;
        const auto match = AttentionMatch::at(*node, result->info().onnxOpset(), captured);
        if (!match || (!options.isAttentionAlwaysInBlocks && !paysOff(*node, *match))) continue;
        AttentionReplacement(*result, *match).replace();
        isChanged = true;
    }
    if (!isChanged) return nullptr;
    result->info().opsetImports.try_emplace(std::string(names::kDomain), 1);
    result->removeUnused();
    return result;
}

}  // namespace temper
