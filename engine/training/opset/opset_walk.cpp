// SPDX-License-Identifier: Apache-2.0
#include "engine/training/opset/opset_walk.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/operator_types.h"
#include "engine/training/opset/opset_table.h"

namespace temper {
namespace {

using Body = std::shared_ptr<const Graph>;
using Entries = std::multimap<std::pair<std::string_view, int64_t>, OpsetEntry>;

Entries makeEntries() {
    Entries entries;
    for (const auto* list : {&opsetAxisEntries(), &opsetFormEntries(), &opsetImageEntries(),
                             &opsetNewOperatorEntries(), &opsetRecentEntries()}) {
        for (const OpsetEntry& entry : *list)
            entries.emplace(std::pair(entry.op, entry.version), entry);
    }
    return entries;
}

bool isOfOnnx(const Node& node) { return node.domain().empty() || node.domain() == "ai.onnx"; }

/// Types that operators have in the model although its own opset does not allow them: runtimes are
/// more lenient, and a conversion does not judge.
using AcceptedTypes = std::set<std::pair<std::string, DType>>;

void addAccepted(const Graph& graph, int64_t opset, AcceptedTypes& accepted) {
    for (const Node* node : graph.nodes()) {
        if (!isOfOnnx(*node)) continue;
        for (const Value* value : valuesNotTaken(*node, opset))
            accepted.emplace(node->opType(), value->type().dtype);
        for (const auto& [name, attribute] : node->attributes()) {
            const auto* body = std::get_if<Body>(&attribute);
            if (body != nullptr && *body != nullptr) addAccepted(**body, opset, accepted);
        }
    }
}

/// One step for all nodes of a model.
class StepWalk {
public:
    StepWalk(const OpCatalog& catalog, const Entries& entries, const AcceptedTypes& accepted,
             const OpsetStep& step)
        : catalog_(catalog), entries_(entries), accepted_(accepted), step_(step) {}

    void run(Graph& graph, const OpsetEdit::FindConstant& outside = {}) const {
        const OpsetEdit::FindConstant find = [&](const Value& value) {
            return constantOf(graph, value, outside);
        };
        for (Node* node : graph.topologicalOrder()) {
            convertBodies(*node, find, graph);
            if (isOfOnnx(*node) && !waits(*node)) convert(graph, node, find);
        }
        if (!step_.isUp) requireOperators(graph, find);
    }

private:
    /// A node of a newer form waits until the graph has reached it, then moves along.
    bool waits(Node& node) const {
        const ForeignOpset* foreign = node.foreignOpset();
        if (foreign == nullptr || foreign->version == 0) return false;
        if (foreign->version == step_.version)
            node.setForeignOpset(
                std::make_shared<const ForeignOpset>(ForeignOpset{foreign->function, 0}));
        return true;
    }

    const Tensor* constantOf(const Graph& graph, const Value& value,
                             const OpsetEdit::FindConstant& outside) const {
        if (value.isInitializer()) return &value.constant();
        if (value.isCaptured()) return outside ? outside(value) : nullptr;
        const auto known = knownContent(graph, value);
        if (!known) return nullptr;
        const Shape shape = {static_cast<int64_t>(known->size())};
        computed_.push_back(
            std::make_unique<Tensor>(Tensor::of<int64_t>(shape, std::span<const int64_t>(*known))));
        return computed_.back().get();
    }

    /// Some nodes have the old form and some the new one, which inference may not understand.
    std::optional<std::vector<int64_t>> knownContent(const Graph& graph, const Value& value) const {
        try {
            return knownIntegers(graph, value, catalog_);
        } catch (const Error&) {
            return std::nullopt;
        }
    }

    void convertBodies(Node& node, const OpsetEdit::FindConstant& find, const Graph& around) const {
        for (const auto& [name, attribute] : Attributes(node.attributes())) {
            const auto* body = std::get_if<Body>(&attribute);
            if (body == nullptr || *body == nullptr) continue;
            const std::shared_ptr<Graph> copy = (*body)->clone();
            const ModelInfo own = copy->info();
            copy->info().opsetImports = around.info().opsetImports;
            run(*copy, [&](const Value& captured) {
                const Value* source = around.find(captured.name());
                return source == nullptr ? nullptr : find(*source);
            });
            copy->info() = own;
            node.setAttribute(name, Body(copy));
        }
    }

    void convert(Graph& graph, Node* node, const OpsetEdit::FindConstant& find) const {
        OpsetEdit edit(graph, node, catalog_, find, step_);
        const auto found = entries_.find({node->opType(), step_.version});
        if (found == entries_.end()) return;
        const OpsetChange change = step_.isUp ? found->second.up : found->second.down;
        if (change != nullptr) change(edit);
    }

    /// Nodes that a step to an older opset left or made have operators and types of that opset.
    void requireOperators(Graph& graph, const OpsetEdit::FindConstant& find) const {
        for (Node* node : graph.topologicalOrder()) {
            if (!isOfOnnx(*node) || node->foreignOpset() != nullptr) continue;
            const OpsetEdit edit(graph, node, catalog_, find, step_);
            const int64_t older = step_.version - 1;
            if (!hasOperator(node->opType(), older))
                edit.refuse("operator " + node->opType() + " did not exist yet");
            for (const Value* value : valuesNotTaken(*node, older)) {
                if (accepted_.contains({node->opType(), value->type().dtype})) continue;
                edit.refuse("it did not take " + kindOf(value->type()) + " yet");
            }
        }
    }

    static std::string kindOf(const ValueType& type) {
        if (type.isTensor()) return std::string(dtypeName(type.dtype));
        return (type.isOptional ? "optionals of " : "sequences of ") +
               std::string(dtypeName(type.dtype));
    }

    const OpCatalog& catalog_;
    const Entries& entries_;
    const AcceptedTypes& accepted_;
    const OpsetStep& step_;
    mutable std::vector<std::unique_ptr<Tensor>> computed_;
};

}  // namespace

void setOpset(Graph& graph, int64_t opset) {
    auto& imports = graph.info().opsetImports;
    const auto longName = imports.find("ai.onnx");
    if (longName != imports.end()) longName->second = opset;
    if (longName == imports.end() || imports.contains("")) imports[""] = opset;
}

void walkOpset(Graph& model, const OpCatalog& catalog, int64_t opset) {
    static const Entries kEntries = makeEntries();
    AcceptedTypes accepted;
    addAccepted(model, model.info().onnxOpset(), accepted);
    for (int64_t at = model.info().onnxOpset(); at != opset;) {
        const bool isUp = opset > at;
        const OpsetStep step{isUp ? at + 1 : at, isUp, opset};
        at += isUp ? 1 : -1;
        setOpset(model, at);
        StepWalk(catalog, kEntries, accepted, step).run(model);
    }
}

}  // namespace temper
