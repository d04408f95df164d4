// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/sequence_folding.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/shape.h"
#include "engine/ir/captures.h"
#include "engine/ir/inlining.h"
#include "engine/runtime/sequence_elements.h"
#include "engine/runtime/specialization.h"

namespace temper {
namespace {

using Elements = std::vector<SequenceElement>;

bool isOnnx(const Node& node, std::string_view op) {
    return node.domain().empty() && node.opType() == op;
}

bool areOfOneShape(const Elements& elements) {
    const auto first = elements.front().shape();
    if (!first) return false;
    const bool isKnown = std::ranges::none_of(*first, &Dim::isUnknown);
    return isKnown && std::ranges::all_of(elements, [&first](const SequenceElement& element) {
               return element.shape() == first;
           });
}

/// The operators on tensors that replace one reader of a sequence.
class ReaderFold {
public:
    ReaderFold(Graph& graph, Node* reader, const OpCatalog& catalog)
        : graph_(graph),
          reader_(reader),
          known_(graph, catalog),
          name_(reader->output(0)->name()) {}

    /// What replaces the reader's output; null if it stays.
    Value* run() {
        const std::string& op = reader_->opType();
        if (op == "SequenceAt") return element();
        if (op == "SequenceLength") return length();
        if (op == "ConcatFromSequence") return joined();
        if (op == "OptionalHasElement") return presence();
        if (op == "OptionalGetElement") return content();
        return nullptr;
    }

private:
    Value* add(const std::string& op, std::vector<Value*> inputs, Attributes attributes = {}) {
        const std::string suffix = op == "Identity" ? "_element" : "_" + op;
        const std::string name = graph_.uniqueName(name_ + suffix);
        // ONNX Runtime's fusions name their nodes after these, and refuse two with the same name.
        return graph_
            .addNode({.opType = op,
                      .inputs = std::move(inputs),
                      .outputs = {name},
                      .attributes = std::move(attributes),
                      .name = name})
            ->output(0);
    }

    Value* literal(Tensor data) {
        return graph_.addLiteral(graph_.uniqueName(name_ + "_constant"), std::move(data));
    }

    Value* integers(int64_t value) { return literal(Tensor::of<int64_t>({1}, {value})); }

    /// Squeeze or Unsqueeze: the axes are an input since opset 13.
    Value* withAxis(const std::string& op, Value* value, int64_t axis) {
        if (graph_.info().onnxOpset() >= 13) return add(op, {value, integers(axis)});
        return add(op, {value}, {{"axes", std::vector<int64_t>{axis}}});
    }

    /// The element as a value of the graph.
    Value* tensorOf(const SequenceElement& element) {
        if (!element.piece) return element.tensor;
        const SequencePiece& piece = *element.piece;
        Value* part = add("Slice", {element.tensor, integers(piece.begin), integers(piece.end),
                                    integers(piece.axis)});
        return piece.isSqueezed ? withAxis("Squeeze", part, piece.axis) : part;
    }

    Value* element() {
        const Value* sequence = reader_->input(0);
        if (const auto place = known_.number(reader_->input(1))) {
            const auto found = known_.elementAt(sequence, *place);
            return found ? add("Identity", {tensorOf(*found)}) : nullptr;
        }
        if (const Node* split = known_.slicesOf(sequence)) return sliceOf(*split);
        const auto elements = known_.elementsOf(sequence);
        if (!elements || elements->empty() || !areOfOneShape(*elements)) return nullptr;
        return add("Gather", {stack(*elements, 0), place()}, {{"axis", int64_t{0}}});
    }

    /// The position as a scalar, so that the axis is removed.
    Value* place() {
        Value* place = reader_->input(1);
        if (place->type().rank() == 0) return place;
        return add("Reshape", {place, literal(Tensor(DType::Int64, Shape{0}))});
    }

    /// SequenceAt of a SplitToSequence into single slices.
    Value* sliceOf(const Node& split) {
        Value* whole = split.input(0);
        const int64_t axis =
            normalizeAxis(split.attribute<int64_t>("axis", 0), whole->type().rank(), "The axis");
        Value* slice = add("Gather", {whole, place()}, {{"axis", axis}});
        const bool isKept = split.attribute<int64_t>("keepdims", 1) != 0;
        return isKept ? withAxis("Unsqueeze", slice, axis) : slice;
    }

    Value* length() {
        const auto elements = known_.elementsOf(reader_->input(0));
        if (elements)
            return literal(Tensor::scalar<int64_t>(static_cast<int64_t>(elements->size())));
        const Node* split = known_.slicesOf(reader_->input(0));
        if (split == nullptr) return nullptr;
        const int64_t axis = normalizeAxis(split->attribute<int64_t>("axis", 0),
                                           split->input(0)->type().rank(), "The axis");
        Value* shape = add("Shape", {split->input(0)});
        return add("Gather", {shape, literal(Tensor::scalar<int64_t>(axis))},
                   {{"axis", int64_t{0}}});
    }

    /// The elements along a new axis.
    Value* stack(const Elements& elements, int64_t axis) {
        std::vector<Value*> rows;
        for (const SequenceElement& each : elements) {
            rows.push_back(withAxis("Unsqueeze", tensorOf(each), axis));
        }
        return add("Concat", std::move(rows), {{"axis", axis}});
    }

    Value* joined() {
        const auto elements = known_.elementsOf(reader_->input(0));
        if (!elements || elements->empty()) return nullptr;
        const auto axis = reader_->attribute<int64_t>("axis", 0);
        if (reader_->attribute<int64_t>("new_axis", 0) != 0) return stack(*elements, axis);
        std::vector<Value*> parts;
        for (const SequenceElement& each : *elements) parts.push_back(tensorOf(each));
        return add("Concat", std::move(parts), {{"axis", axis}});
    }

    /// An Optional of nothing has only a type; since opset 18, what is not an optional may be
    /// queried.
    Value* presence() {
        Value* asked = reader_->input(0);
        if (asked == nullptr) return literal(Tensor::scalar<bool>(false));
        const Node* maker = sourceOfCopies(asked)->producer();
        const bool isMade = maker != nullptr && isOnnx(*maker, "Optional");
        if (!isMade && (!asked->type().isKnown() || asked->type().isOptional)) return nullptr;
        return literal(Tensor::scalar<bool>(!isMade || maker->input(0) != nullptr));
    }

    /// A sequence in an optional is read from the Optional's input.
    Value* content() {
        Value* value = sourceOfCopies(reader_->input(0));
        const Node* maker = value->producer();
        if (maker != nullptr && isOnnx(*maker, "Optional")) value = maker->input(0);
        const bool isTensor =
            value != nullptr && value->type().isKnown() && value->type().isTensor();
        return isTensor ? add("Identity", {value}) : nullptr;
    }

    static Value* sourceOfCopies(Value* value) {
        while (value->producer() != nullptr && isOnnx(*value->producer(), "Identity")) {
            value = value->producer()->input(0);
        }
        return value;
    }

    Graph& graph_;
    Node* reader_;
    KnownSequences known_;
    std::string name_;
};

bool readsSequence(const Node& node) {
    static const std::set<std::string_view> kReaders{"SequenceAt", "SequenceLength",
                                                     "ConcatFromSequence", "OptionalHasElement",
                                                     "OptionalGetElement"};
    return node.domain().empty() && kReaders.contains(node.opType()) && node.output(0) != nullptr;
}

/// Removes the nodes that make a sequence, as far as nothing else reads their outputs.
void removeUnread(Graph& graph, Value* sequence) {
    const CapturingNodes captured = capturingNodes(graph);
    while (sequence != nullptr && sequence->producer() != nullptr && sequence->uses().empty() &&
           !sequence->isGraphOutput() && !captured.contains(sequence)) {
        Node* node = sequence->producer();
        if (!isOfSequences(*node) && !isOnnx(*node, "Identity")) return;
        sequence = isOnnx(*node, "SequenceConstruct") ? nullptr : node->input(0);
        graph.removeNode(node);
    }
}

/// The nodes that this adds are folded in the next round.
bool unrollKnownMap(Graph& graph, Node* map, const OpCatalog& catalog) {
    const auto elements = KnownSequences(graph, catalog).elementsOf(map->input(0));
    if (elements) unrollMap(graph, map, std::ssize(*elements));
    return elements.has_value();
}

}  // namespace

bool isOfSequences(const Node& node) {
    static const std::set<std::string_view> kMakers{"SequenceConstruct", "SequenceEmpty",
                                                    "SequenceErase",     "SequenceInsert",
                                                    "SplitToSequence",   "Optional"};
    return readsSequence(node) || isMap(node) ||
           (node.domain().empty() && kMakers.contains(node.opType()));
}

bool foldSequenceReader(Graph& graph, Node* reader, const OpCatalog& catalog) {
    if (!readsSequence(*reader)) return false;
    Value* made = ReaderFold(graph, reader, catalog).run();
    if (made == nullptr) return false;
    Value* sequence = reader->input(0);
    if (made->producer() != nullptr && !reader->name().empty() &&
        made->producer()->name() == made->name()) {
        graph.renameNode(made->producer(), reader->name());
    }
    graph.replaceNode(reader, {made});
    removeUnread(graph, sequence);
    return true;
}

bool foldSequences(Graph& graph, const OpCatalog& catalog) {
    bool isAny = false;
    for (Node* node : graph.topologicalOrder()) {
        const bool isFolded = isMap(*node) ? unrollKnownMap(graph, node, catalog)
                                           : foldSequenceReader(graph, node, catalog);
        isAny = isAny || isFolded;
    }
    return isAny;
}

std::optional<std::string> whyNotFolded(const Graph& graph, const Node& reader,
                                        const OpCatalog& catalog) {
    if (!readsSequence(reader)) return std::nullopt;
    const std::unique_ptr<Graph> copy = graph.clone();
    Node* same = copy->at(reader.output(0)->name())->producer();
    if (foldSequenceReader(*copy, same, catalog)) return std::nullopt;
    const KnownSequences known(graph, catalog);
    const bool areKnown = known.elementsOf(reader.input(0)).has_value();
    if (reader.opType() == "OptionalGetElement" && areKnown) return std::nullopt;
    if (reader.opType() != "SequenceAt" || known.number(reader.input(1)) || !areKnown)
        return "which tensors it reads is unknown";
    return "the data determines which tensor it reads, and their shapes may differ";
}

}  // namespace temper
