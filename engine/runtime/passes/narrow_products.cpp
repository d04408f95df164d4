// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/narrow_products.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/captures.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

/// Rebuilds the graph, node by node, with casts where products read float32.
class ProductNarrowing {
public:
    ProductNarrowing(const Graph& graph, const OpCatalog& catalog, BFloat16Units units)
        : graph_(graph), catalog_(catalog), units_(units), captured_(capturingNodes(graph)) {}

    std::unique_ptr<Graph> build() {
        const std::vector<Node*> order = graph_.topologicalOrder();
        for (const Node* node : order) {
            if (isNarrowProduct(*node)) products_.insert(node);
        }
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            if (movesForProducts(**node)) movers_.insert(*node);
        }
        addSources();
        for (const Node* node : order) addNode(*node);
        for (const Value* output : graph_.outputs()) result_->addOutput(full_.at(output));
        requireTypes();
        return std::move(result_);
    }

private:
    static bool isWide(const Value* value) {
        return value != nullptr && value->type().dtype == DType::Float32;
    }

    bool isNarrowProduct(const Node& node) const {
        const OperatorFacts& facts = catalog_.facts(node);
        if (facts.factors.empty() || !isWide(node.input(0))) return false;
        const NarrowGain gain = facts.narrowGain ? facts.narrowGain(node) : NarrowGain::All;
        return gain == NarrowGain::All ||
               (gain == NarrowGain::Tiles && units_ != BFloat16Units::Vectors);
    }

    /// Whether only products read what it moves. A product writes transposed itself, but only what
    /// it made: not after a rounding.
    bool movesForProducts(const Node& node) const {
        const OperatorFacts& facts = catalog_.facts(node);
        const bool onlyMoves = facts.family == OperatorFamily::Arrangement && facts.movesData &&
                               !facts.isElementwise && node.outputs().size() == 1;
        if (!onlyMoves || !isWide(node.input(0)) || isPublic(*node.output(0))) return false;
        if (node.opType() == "Transpose" && products_.contains(node.input(0)->producer()))
            return false;
        const auto& uses = node.output(0)->uses();
        return !uses.empty() && std::ranges::all_of(uses, [&](const Value::Use& use) {
            return readsNarrow(*use.node, use.input);
        });
    }

    bool readsNarrow(const Node& node, size_t input) const {
        if (movers_.contains(&node)) return input == 0;
        return products_.contains(&node) && catalog_.facts(node).factors.contains(input);
    }

    /// Values that are read by name stay float32 under their name.
    bool isPublic(const Value& value) const {
        return value.isGraphOutput() || captured_.contains(&value);
    }

    void addSources() {
        result_->info() = graph_.info();
        result_->setName(graph_.name());
        for (const Value* input : graph_.inputs()) {
            full_[input] = result_->addInput(input->name(), input->type());
        }
        for (const Value* value : graph_.initializers()) {
            full_[value] = value->isLiteral()
                               ? result_->addLiteral(value->name(), value->constant())
                               : result_->addInitializer(value->name(), value->constant());
        }
    }

    void addNode(const Node& node) {
        NodeSpec spec{.opType = node.opType(),
                      .inputs = {},
                      .outputs = {},
                      .attributes = node.attributes(),
                      .domain = node.domain(),
                      .name = node.name(),
                      .docString = node.docString(),
                      .isBackward = node.isBackward()};
        if (products_.contains(&node)) spec.attributes[kWideResult] = int64_t{1};
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            const Value* input = node.input(i);
            if (input == nullptr) {
                spec.inputs.push_back(nullptr);
            } else {
                spec.inputs.push_back(readsNarrow(node, i) ? narrowForm(input, node)
                                                           : full_.at(input));
            }
        }
        for (const Value* output : node.outputs())
            spec.outputs.push_back(output ? output->name() : std::string());
        const Node* made = result_->addNode(std::move(spec));
        for (size_t i = 0; i < node.outputs().size(); ++i) {
            if (node.output(i)) addOutput(node, *node.output(i), made->output(i));
        }
    }

    void addOutput(const Node& node, const Value& original, Value* made) {
        ValueType type = original.type();
        const bool isNarrow = movers_.contains(&node);
        if (isNarrow) type.dtype = DType::BFloat16;
        made->setType(std::move(type));
        (isNarrow ? narrow_ : full_)[&original] = made;
    }

    Value* narrowForm(const Value* value, const Node& reader) {
        const auto found = narrow_.find(value);
        return found != narrow_.end() ? found->second : castOnce(value, reader);
    }

    /// Once, and again in the backward pass if that reads float32, too: one form is kept in
    /// between. Parameters are kept anyway.
    Value* castOnce(const Value* value, const Node& reader) {
        const bool isAgain =
            reader.isBackward() && value->producer() != nullptr && isReadWideBackward(*value);
        Value*& made = casts_[{value, isAgain}];
        if (made == nullptr) {
            const std::string name = value->name() + (isAgain ? "_bf16_back" : "_bf16");
            made = cast(full_.at(value), graph_.uniqueName(name), reader);
        }
        return made;
    }

    bool isReadWideBackward(const Value& value) const {
        return std::ranges::any_of(value.uses(), [&](const Value::Use& use) {
            return use.node->isBackward() && !readsNarrow(*use.node, use.input);
        });
    }

    /// Belongs to the same part of the model as `reader`.
    Value* cast(Value* from, const std::string& name, const Node& reader) {
        ValueType type = from->type();
        type.dtype = DType::BFloat16;
        Value* made = result_
                          ->addNode({.opType = "Cast",
                                     .inputs = {from},
                                     .outputs = {name},
                                     .attributes = {{"to", static_cast<int64_t>(DType::BFloat16)}},
                                     .name = name + "/Cast",
                                     .docString = reader.docString(),
                                     .isBackward = reader.isBackward()})
                          ->output(0);
        made->setType(std::move(type));
        return made;
    }

    void requireTypes() const {
        for (const Finding& finding : inferTypes(*result_, catalog_)) {
            if (finding.severity != Severity::Error) continue;
            throw Error(ErrorCode::Unsupported, "In bfloat16: " + finding.message, finding.hint);
        }
    }

    const Graph& graph_;
    const OpCatalog& catalog_;
    BFloat16Units units_;
    CapturingNodes captured_;
    std::unique_ptr<Graph> result_ = std::make_unique<Graph>();
    std::unordered_set<const Node*> products_;         ///< of bfloat16
    std::unordered_set<const Node*> movers_;           ///< of bfloat16
    std::unordered_map<const Value*, Value*> full_;    ///< by the value of the original
    std::unordered_map<const Value*, Value*> narrow_;  ///< what movers_ make
    std::map<std::pair<const Value*, bool>, Value*> casts_;
};

}  // namespace

std::unique_ptr<Graph> withNarrowProducts(const Graph& graph, const OpCatalog& catalog,
                                          BFloat16Units units) {
    return ProductNarrowing(graph, catalog, units).build();
}

std::unique_ptr<Graph> narrowProducts(const Graph& graph, const InputTypes& inputTypes,
                                      const OpCatalog& catalog, const KernelRegistry& /*kernels*/,
                                      const PlanOptions& options) {
    if (!options.multipliesBFloat16) return nullptr;
    return withNarrowProducts(*withTypes(graph, inputTypes, catalog).graph, catalog,
                              bfloat16Units());
}

}  // namespace temper
