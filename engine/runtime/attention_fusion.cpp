// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/ir/block_attention.h"
#include "engine/runtime/attention_match.h"
#include "engine/runtime/kernel_lowering.h"
#include "engine/runtime/plan_pass.h"

namespace temper {
namespace {

namespace names = block_attention;

bool mayBeAttention(const Node* node) {
    return node->opType() == "Softmax" && node->domain() == kOnnxDomain;
}

/// Writes the operators of block_attention.h in the place of a match.
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
    /// What reads the shape of an array that will not be there has it as a constant.
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
        std::vector<Value*> inputs = {match_.q, match_.k, match_.v};
        addSight(inputs, match_.bias);
        std::vector<std::string> outputs = {graph_.uniqueName(stem + "/blocks")};
        if (match_.dy != nullptr) outputs.push_back(graph_.uniqueName(stem + "/log_sum_exp"));
        return graph_.addNode(
            {std::string(names::kForward), std::move(inputs), std::move(outputs), attributes(),
             std::string(names::kDomain), stem + "/blocks",
             match_.chosen != nullptr ? match_.chosen->docString() : std::string(kBackwardPass)});
    }

    void addBackward(const Node& forward, const std::string& stem) {
        std::vector<Value*> inputs = {match_.dy, match_.q,          match_.k,
                                      match_.v,  forward.output(0), forward.output(1)};
        addSight(inputs, match_.bias);
        const auto nameOf = [&](const Node* product, const char* suffix) {
            return product == nullptr ? std::string() : graph_.uniqueName(stem + suffix);
        };
        Node* node = graph_.addNode({std::string(names::kBackward),
                                     std::move(inputs),
                                     {nameOf(match_.dq, "/dq"), nameOf(match_.dkTransposed, "/dk"),
                                      nameOf(match_.dv, "/dv")},
                                     attributes(),
                                     std::string(names::kDomain),
                                     stem + "/blocks_grad",
                                     std::string(kBackwardPass)});
        if (match_.dq != nullptr) graph_.replaceNode(match_.dq, {node->output(0)});
        if (match_.dv != nullptr) graph_.replaceNode(match_.dv, {node->output(2)});
        if (match_.dkTransposed != nullptr) replaceKeys(node->output(1));
    }

    /// The gradient of the keys comes as they are; the product gave it transposed.
    void replaceKeys(Value* dk) {
        const std::vector<int64_t> lastTwo = {0, 1, 3, 2};
        const Value* transposed = match_.dkTransposed->output(0);
        const auto& uses = transposed->uses();
        Node* reader = uses.size() == 1 && !transposed->isGraphOutput() ? uses[0].node : nullptr;
        if (reader != nullptr && reader->opType() == "Transpose" &&
            reader->attribute<std::vector<int64_t>>("perm", std::vector<int64_t>{}) == lastTwo) {
            graph_.replaceNode(reader, {dk});
            return;
        }
        Node* turn = graph_.addNode({"Transpose",
                                     {dk},
                                     {graph_.uniqueName(dk->name() + "/transposed")},
                                     {{"perm", lastTwo}},
                                     {},
                                     {},
                                     std::string(kBackwardPass)});
        graph_.replaceNode(match_.dkTransposed, {turn->output(0)});
    }

    void addSight(std::vector<Value*>& inputs, Value* bias) {
        inputs.push_back(bias);
        inputs.push_back(mask());
        for (const AttentionSight::Pair& pair : match_.sight.pairs) {
            inputs.push_back(pair.lower);
            inputs.push_back(pair.upper);
        }
    }

    /// All masks as one.
    Value* mask() {
        const std::vector<Value*>& masks = match_.sight.masks;
        if (masks.empty()) return nullptr;
        if (mask_ == nullptr) mask_ = masks.front();
        for (size_t i = 1; i < masks.size() && mask_ == masks.front(); ++i) {
            const std::string name = graph_.uniqueName(masks[i]->name() + "/both");
            mask_ = graph_.addNode({"And", {mask_, masks[i]}, {name}})->output(0);
        }
        return mask_;
    }

    Attributes attributes() const {
        std::vector<int64_t> strict;
        for (const AttentionSight::Pair& pair : match_.sight.pairs)
            strict.push_back(pair.isStrict ? 1 : 0);
        return {{names::kHeads, match_.heads},
                {names::kSoftcap, match_.softcap},
                {names::kHides, int64_t{match_.sight.all != nullptr}},
                {names::kInfiniteHides, int64_t{match_.sight.infiniteHides}},
                {names::kStrict, strict}};
    }

    /// Greater(ReduceSum(Cast(seen)), 0), over the keys.
    void replaceSeesAny() {
        if (match_.sight.all == nullptr) return;
        const auto reader = [](const Value* value, const char* op) -> Node* {
            const auto& uses = value->uses();
            const auto found = std::ranges::find_if(
                uses, [&](const Value::Use& use) { return use.node->opType() == op; });
            return found == uses.end() ? nullptr : found->node;
        };
        const Node* cast = reader(match_.sight.all, "Cast");
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
    Value* mask_ = nullptr;
};

}  // namespace

std::unique_ptr<Graph> fuseAttention(const Graph& graph, const InputTypes& inputTypes,
                                     const OpCatalog& catalog, const KernelRegistry& /*kernels*/) {
    const std::vector<Node*> nodes = graph.nodes();
    if (std::ranges::none_of(nodes, mayBeAttention)) return nullptr;
    if (catalog.find(names::kDomain, names::kForward) == nullptr) return nullptr;
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    std::unordered_set<const Value*> captured;
    for (const Node* node : result->nodes()) {
        for (const Value* value : result->capturedBy(*node)) captured.insert(value);
    }
    bool isChanged = false;
    for (Node* node : result->nodes()) {
        if (!mayBeAttention(node)) continue;
        const auto match = AttentionMatch::at(*node, result->info().onnxOpset(), captured);
        if (!match) continue;
        AttentionReplacement(*result, *match).replace();
        isChanged = true;
    }
    if (!isChanged) return nullptr;
    result->info().opsetImports.try_emplace(std::string(names::kDomain), 1);
    result->removeUnused();
    return result;
}

}  // namespace temper
