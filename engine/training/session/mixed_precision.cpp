// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/mixed_precision.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/captures.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// Rebuilds the graph, node by node, with casts where the two types meet.
class MixedPrecision {
public:
    MixedPrecision(const Graph& graph, const OpCatalog& catalog)
        : graph_(graph), catalog_(catalog), captured_(capturingNodes(graph)) {}

    std::unique_ptr<Graph> build() {
        const std::vector<Node*> order = graph_.topologicalOrder();
        for (const Node* node : order) decide(*node);
        for (auto node = order.rbegin(); node != order.rend(); ++node) keepResultsWide(**node);
        addSources();
        for (const Node* node : order) addNode(*node);
        for (const Value* output : graph_.outputs()) result_->addOutput(full_.at(output));
        requireTypes();
        return std::move(result_);
    }

private:
    /// Rounded: float32 numbers that bfloat16 can represent.
    enum class Form { Full, Narrow, Rounded };

    static bool isWide(const Value* value) {
        return value != nullptr && value->type().dtype == DType::Float32;
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

    /// Whether a node reads bfloat16.
    void decide(const Node& node) {
        const Narrowing narrowing = catalog_.facts(node).narrowing;
        const bool gains = narrowing == Narrowing::Gains && isWide(node.input(0));
        if (!gains && !(narrowing == Narrowing::Follows && follows(node))) return;
        narrowNodes_.insert(&node);
        for (const Value* output : node.outputs()) {
            if (isWide(output)) madeNarrow_.insert(output);
        }
    }

    /// What only float32 arithmetic reads is not rounded first: images that are normalized, losses,
    /// gradients of weights. What the forward pass keeps for the backward pass is kept rounded, in
    /// half of the memory.
    void keepResultsWide(const Node& node) {
        if (!narrowNodes_.contains(&node)) return;
        const bool isProduct = catalog_.facts(node).narrowing == Narrowing::Gains;
        bool allWide = true;
        for (const Value* output : node.outputs()) {
            if (!isWide(output)) continue;
            const bool isReadWide = isReadWideOnly(*output);
            if (isReadWide && isProduct) wideResults_.insert(output);
            allWide = allWide && isReadWide && !isKeptForBackward(*output);
        }
        if (allWide && !isProduct) narrowNodes_.erase(&node);
    }

    bool isReadWideOnly(const Value& value) const {
        return std::all_of(value.uses().begin(), value.uses().end(), [&](const Value::Use& use) {
            return !readsNarrow(*use.node, use.input);
        });
    }

    static bool isKeptForBackward(const Value& value) {
        if (value.producer()->isBackward()) return false;
        return std::any_of(value.uses().begin(), value.uses().end(),
                           [](const Value::Use& use) { return use.node->isBackward(); });
    }

    bool isKeptRounded(const Value* value) const {
        return wideResults_.contains(value) && isKeptForBackward(*value);
    }

    /// Rates, axes and the like are not data: they do not change.
    bool isData(const Node& node, size_t input) const {
        return !catalog_.find(node)->nonDifferentiableInputs.contains(input);
    }

    /// Whether the input belongs to a node that computes in bfloat16, and is data.
    bool readsNarrow(const Node& node, size_t input) const {
        return narrowNodes_.contains(&node) && isData(node, input);
    }

    bool isReadWideBackward(const Value& value) const {
        return std::any_of(value.uses().begin(), value.uses().end(), [&](const Value::Use& use) {
            return use.node->isBackward() && !readsNarrow(*use.node, use.input);
        });
    }

    /// Whether each number that it reads is a source or already bfloat16, and at least one is not a
    /// source.
    bool follows(const Node& node) const {
        bool reads = false;
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            const Value* input = node.input(i);
            if (!isWide(input) || !isData(node, i)) continue;
            if (madeNarrow_.contains(input)) {
                reads = true;
            } else if (input->producer() != nullptr) {
                return false;
            }
        }
        return reads;
    }

    /// The wide results of a product are computed by a node of their own: in float32, from rounded
    /// numbers.
    void addNode(const Node& node) {
        const bool isNarrow = narrowNodes_.contains(&node);
        const auto keepsWide = [&](const Value* output) { return wideResults_.contains(output); };
        const auto staysHere = [&](const Value* output) { return output && !keepsWide(output); };
        if (std::ranges::any_of(node.outputs(), staysHere)) {
            addForm(node, isNarrow ? Form::Narrow : Form::Full, node.name(), staysHere);
            if (!std::ranges::any_of(node.outputs(), keepsWide)) return;
            addForm(node, Form::Rounded, graph_.uniqueName(node.name() + "_wide"), keepsWide);
        } else {
            addForm(node, isNarrow ? Form::Rounded : Form::Full, node.name(), keepsWide);
        }
    }

    /// The node with its inputs in that form, for some of its outputs.
    template <typename Predicate>
    void addForm(const Node& node, Form form, const std::string& name, Predicate makes) {
        NodeSpec spec{.opType = node.opType(),
                      .inputs = {},
                      .outputs = {},
                      .attributes = node.attributes(),
                      .domain = node.domain(),
                      .name = name,
                      .docString = node.docString(),
                      .isBackward = node.isBackward()};
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            spec.inputs.push_back(readsNarrow(node, i) ? formOf(node.input(i), form, node)
                                                       : fullForm(node.input(i), node));
        }
        const bool isNarrow = form == Form::Narrow;
        for (const Value* output : node.outputs())
            spec.outputs.push_back(makes(output) ? nameOf(output, isNarrow) : std::string());
        const Node* made = result_->addNode(std::move(spec));
        for (size_t i = 0; i < node.outputs().size(); ++i) {
            if (makes(node.output(i))) addOutput(*node.output(i), made->output(i), isNarrow);
        }
    }

    /// Values that are read by name stay float32 under their name.
    bool isPublic(const Value& value) const {
        return value.isGraphOutput() || captured_.contains(&value);
    }

    std::string nameOf(const Value* output, bool isNarrow) const {
        const bool isRenamed = isNarrow && isWide(output) && isPublic(*output);
        return isRenamed ? graph_.uniqueName(output->name() + "_bf16") : output->name();
    }

    void addOutput(const Value& original, Value* made, bool isNarrow) {
        made->setType(original.type());
        if (!isNarrow || !isWide(&original)) {
            full_[&original] = made;
            if (isKeptRounded(&original)) {
                narrow_[&original] =
                    cast(made, DType::BFloat16, graph_.uniqueName(made->name() + "_bf16"),
                         *original.producer());
            }
            return;
        }
        ValueType type = original.type();
        type.dtype = DType::BFloat16;
        made->setType(std::move(type));
        narrow_[&original] = made;
        if (isPublic(original)) {
            full_[&original] = cast(made, DType::Float32, original.name(), *original.producer());
        }
    }

    Value* formOf(const Value* value, Form form, const Node& reader) {
        if (form == Form::Full || !isWide(value)) return fullForm(value, reader);
        Value* narrow = narrowForm(value, reader);
        return form == Form::Narrow ? narrow : castOnce(value, narrow, DType::Float32, reader);
    }

    Value* narrowForm(const Value* value, const Node& reader) {
        if (!isWide(value)) return fullForm(value, reader);
        const auto found = narrow_.find(value);
        if (found != narrow_.end()) return found->second;
        return castOnce(value, full_.at(value), DType::BFloat16, reader);
    }

    Value* fullForm(const Value* value, const Node& reader) {
        if (value == nullptr) return nullptr;
        if (isKeptRounded(value) && reader.isBackward())
            return castOnce(value, narrow_.at(value), DType::Float32, reader);
        const auto found = full_.find(value);
        if (found != full_.end()) return found->second;
        return castOnce(value, narrow_.at(value), DType::Float32, reader);
    }

    /// Once in the forward pass and once in the backward pass, so that only one form is kept in
    /// between: bfloat16, unless the backward pass also needs float32. Weights are kept.
    Value* castOnce(const Value* original, Value* from, DType to, const Node& reader) {
        const bool keepsForward = to == DType::BFloat16 && original->producer() != nullptr &&
                                  !isReadWideBackward(*original);
        const bool isBackward = reader.isBackward() && !keepsForward;
        Value*& made = casts_[{original, to, isBackward}];
        if (made == nullptr) {
            made = cast(from, to,
                        graph_.uniqueName(original->name() + "_" + std::string(dtypeName(to)) +
                                          (isBackward ? "_back" : "")),
                        reader);
        }
        return made;
    }

    /// A cast that belongs to the same part of the model as `node`.
    Value* cast(Value* from, DType to, const std::string& name, const Node& node) {
        ValueType type = from->type();
        type.dtype = to;
        Value* made = result_
                          ->addNode({.opType = "Cast",
                                     .inputs = {from},
                                     .outputs = {name},
                                     .attributes = {{"to", static_cast<int64_t>(to)}},
                                     .name = name + "/Cast",
                                     .docString = node.docString(),
                                     .isBackward = node.isBackward()})
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
    CapturingNodes captured_;
    std::unique_ptr<Graph> result_ = std::make_unique<Graph>();
    std::unordered_set<const Node*> narrowNodes_;  ///< that compute in bfloat16
    std::unordered_set<const Value*> madeNarrow_;
    std::unordered_set<const Value*> wideResults_;     ///< of nodes with narrow inputs
    std::unordered_map<const Value*, Value*> full_;    ///< by the value of the original
    std::unordered_map<const Value*, Value*> narrow_;  ///< bfloat16 outputs of nodes
    std::map<std::tuple<const Value*, DType, bool>, Value*> casts_;
};

}  // namespace

std::unique_ptr<Graph> toMixedPrecision(const Graph& training, const OpCatalog& catalog) {
    return MixedPrecision(training, catalog).build();
}

}  // namespace temper
