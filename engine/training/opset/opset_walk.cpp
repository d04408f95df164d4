// SPDX-License-Identifier: Apache-2.0
#include "engine/training/opset/opset_walk.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
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

/// Element types that an opset added, from `first` to `last`.
struct TypeEntry {
    int64_t version;
    DType first;
    DType last;
};
constexpr std::array<TypeEntry, 7> kTypeEntries = {{
    {13, DType::BFloat16, DType::BFloat16},
    {19, DType::Float8E4M3FN, DType::Float8E5M2FNUZ},
    {21, DType::UInt4, DType::Int4},
    {23, DType::Float4E2M1, DType::Float4E2M1},
    {24, DType::Float8E8M0, DType::Float8E8M0},
    {25, DType::UInt2, DType::Int2},
    {28, DType::Float6E2M3, DType::Float6E3M2},
}};

/// The opsets from which on an operator takes other values than tensors.
struct KindEntry {
    std::string_view op;
    int64_t sequences;
    int64_t optionals;
};
constexpr std::array<KindEntry, 3> kKindEntries = {
    {{"Identity", 14, 16}, {"If", 13, 16}, {"Loop", 13, 16}}};

bool isOfOnnx(const Node& node) { return node.domain().empty() || node.domain() == "ai.onnx"; }

/// One step for all nodes of a model.
class StepWalk {
public:
    StepWalk(const OpCatalog& catalog, const Entries& entries, const OpsetStep& step)
        : catalog_(catalog), entries_(entries), step_(step) {}

    void run(Graph& graph, const OpsetEdit::FindConstant& outside = {}) const {
        const OpsetEdit::FindConstant find = [&](const Value& value) {
            return constantOf(graph, value, outside);
        };
        for (Node* node : graph.topologicalOrder()) {
            convertBodies(*node, find, graph);
            if (isOfOnnx(*node) && !waits(*node)) convert(graph, node, find);
        }
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
        if (!step_.isUp) requireTypes(edit);
        const auto found = entries_.find({node->opType(), step_.version});
        if (found == entries_.end()) return;
        const OpsetChange change = step_.isUp ? found->second.up : found->second.down;
        if (change != nullptr) change(edit);
    }

    void requireTypes(const OpsetEdit& edit) const {
        for (const TypeEntry& entry : kTypeEntries) {
            if (entry.version != step_.version) continue;
            if (const auto type = firstOf(*edit.node(), entry)) {
                edit.refuse("type " + std::string(dtypeName(*type)) + " did not exist yet");
            }
        }
        for (const auto* list : {&opsetTypes(), &opsetRecentTypes()}) requireTypes(edit, *list);
        for (const KindEntry& entry : kKindEntries) {
            if (entry.op == edit.node()->opType()) requireTensors(edit, entry);
        }
    }

    void requireTensors(const OpsetEdit& edit, const KindEntry& entry) const {
        const auto isAny = [&edit](bool ValueType::*kind) {
            const auto isOf = [kind](const Value* value) {
                return value != nullptr && value->type().*kind;
            };
            return std::ranges::any_of(edit.node()->inputs(), isOf) ||
                   std::ranges::any_of(edit.node()->outputs(), isOf);
        };
        if (entry.sequences == step_.version && isAny(&ValueType::isSequence))
            edit.refuse("it did not take sequences yet");
        if (entry.optionals == step_.version && isAny(&ValueType::isOptional))
            edit.refuse("it did not take optionals yet");
    }

    void requireTypes(const OpsetEdit& edit, const std::vector<OpsetTypes>& list) const {
        const Node& node = *edit.node();
        const bool draws = node.inputs().empty() && node.output(0) != nullptr;
        const DType dtype = draws ? node.output(0)->type().dtype : edit.dtype(0);
        for (const OpsetTypes& entry : list) {
            if (entry.op != node.opType() || entry.version != step_.version) continue;
            if (std::ranges::find(entry.types, dtype) != entry.types.end()) {
                edit.refuse("it did not take " + std::string(dtypeName(dtype)) + " yet");
            }
        }
    }

    static std::optional<DType> firstOf(const Node& node, const TypeEntry& entry) {
        for (auto dtype = static_cast<int32_t>(entry.first);
             dtype <= static_cast<int32_t>(entry.last); ++dtype) {
            const auto type = static_cast<DType>(dtype);
            if (has(node.inputs(), type) || has(node.outputs(), type)) return type;
        }
        return std::nullopt;
    }

    static bool has(const std::vector<Value*>& values, DType dtype) {
        return std::ranges::any_of(values, [dtype](const Value* value) {
            return value != nullptr && value->type().dtype == dtype;
        });
    }

    const OpCatalog& catalog_;
    const Entries& entries_;
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
    for (int64_t at = model.info().onnxOpset(); at != opset;) {
        const bool isUp = opset > at;
        const OpsetStep step{isUp ? at + 1 : at, isUp, opset};
        at += isUp ? 1 : -1;
        setOpset(model, at);
        StepWalk(catalog, kEntries, step).run(model);
    }
}

}  // namespace temper
