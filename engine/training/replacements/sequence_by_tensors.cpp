// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/ops/lowered_op.h"
#include "engine/training/replacements/replacement.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;

std::optional<Integers> knownNumbers(const Value* value) {
    if (value == nullptr || !value->isInitializer()) return std::nullopt;
    const Tensor wide = value->constant().cast(DType::Int64);
    const auto numbers = wide.values<int64_t>();
    return Integers(numbers.begin(), numbers.end());
}

bool isOnnx(const Node* node, const char* op) {
    return node != nullptr && node->domain().empty() && node->opType() == op;
}

/// Where a SplitToSequence cuts an element out.
struct Piece {
    int64_t axis = 0;
    int64_t begin = 0;
    int64_t end = 0;
    bool isSqueezed = false;
};

std::optional<int64_t> knownSize(const Value& value, int64_t axis) {
    if (!value.type().shape) return std::nullopt;
    const Dim& dim = (*value.type().shape)[static_cast<size_t>(axis)];
    return dim.isNumber() ? std::optional(dim.value) : std::nullopt;
}

/// Element `index` of parts of these sizes.
std::optional<Piece> pieceOfSizes(Piece piece, const Integers& sizes, int64_t index) {
    const auto count = static_cast<int64_t>(sizes.size());
    const int64_t at = index < 0 ? index + count : index;
    if (at < 0 || at >= count) return std::nullopt;
    piece.begin = std::accumulate(sizes.begin(), sizes.begin() + at, int64_t{0});
    piece.end = piece.begin + sizes[static_cast<size_t>(at)];
    return piece;
}

/// Source: ONNX, Operators.md, SplitToSequence: parts of one size, the last may be smaller, or of
/// given sizes; without any, single slices that lose their axis unless it is to be kept.
std::optional<Piece> pieceOf(const Node& split, int64_t index) {
    const auto& shape = split.input(0)->type().shape;
    if (!shape) return std::nullopt;
    const auto rank = static_cast<int64_t>(shape->size());
    Piece piece{.axis = normalizeAxis(split.attribute<int64_t>("axis", 0), rank, "An axis")};
    int64_t part = 1;
    if (const Value* sizes = split.input(1)) {
        const auto numbers = knownNumbers(sizes);
        if (!numbers) return std::nullopt;
        if (sizes->constant().rank() == 1) return pieceOfSizes(piece, *numbers, index);
        part = numbers->front();
    } else {
        piece.isSqueezed = split.attribute<int64_t>("keepdims", 1) == 0;
    }
    if (index < 0) {
        const auto whole = knownSize(*split.input(0), piece.axis);
        if (!whole) return std::nullopt;
        index += (*whole + part - 1) / part;
    }
    if (index < 0) return std::nullopt;
    piece.begin = index * part;
    piece.end = piece.begin + part;
    return piece;
}

/// The one index of a SequenceAt.
std::optional<int64_t> indexOf(const Node& at) {
    const auto numbers = knownNumbers(at.input(1));
    return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

std::optional<size_t> elementOf(const Node& construct, int64_t index) {
    const auto count = static_cast<int64_t>(construct.inputs().size());
    const int64_t at = index < 0 ? index + count : index;
    return at >= 0 && at < count ? std::optional(static_cast<size_t>(at)) : std::nullopt;
}

std::optional<std::string> whyNotRead(const Node& reader) {
    const Value* sequence = reader.input(0);
    const Node* source = sequence == nullptr ? nullptr : sequence->producer();
    const bool isList = isOnnx(source, "SequenceConstruct");
    if (reader.opType() == "ConcatFromSequence") {
        if (isList) return std::nullopt;
        return "the sequence is not made from single tensors";
    }
    if (reader.opType() != "SequenceAt") return reader.describe() + " reads the sequence";
    const auto index = indexOf(reader);
    if (!index) return "the place in the sequence is computed by the model";
    if (isList && elementOf(*source, *index)) return std::nullopt;
    if (isOnnx(source, "SplitToSequence") && pieceOf(*source, *index)) return std::nullopt;
    return "it is not known which tensor that is";
}

bool makesSequence(const Node& node) {
    return node.opType() == "SequenceConstruct" || node.opType() == "SplitToSequence";
}

std::optional<std::string> whyNotTensors(const Graph&, const Node& node) {
    if (!makesSequence(node)) return whyNotRead(node);
    if (node.output(0)->isGraphOutput()) return "the sequence is an output of the model";
    for (const Value::Use& use : node.output(0)->uses()) {
        if (auto why = whyNotRead(*use.node)) return why;
    }
    return std::nullopt;
}

/// An element of a list, or a piece of what was split.
std::vector<Var> elementRead(const LoweringContext& context) {
    const Node& source = *context.node().input(0)->producer();
    const int64_t index = *indexOf(context.node());
    const auto input = [&](size_t i) { return Var(&context.emitter(), source.input(i)); };
    if (source.opType() == "SequenceConstruct") return {identity(input(*elementOf(source, index)))};
    const Piece piece = *pieceOf(source, index);
    const Var part = slice(input(0), piece.axis, piece.begin, piece.end);
    return {piece.isSqueezed ? squeeze(part, {piece.axis}) : part};
}

std::vector<Var> joinedTensors(const LoweringContext& context) {
    const Node& source = *context.node().input(0)->producer();
    const auto axis = context.attribute<int64_t>("axis", 0);
    const bool isNew = context.attribute<int64_t>("new_axis", 0) != 0;
    std::vector<Var> parts;
    for (Value* value : source.inputs()) {
        const Var part(&context.emitter(), value);
        parts.push_back(isNew ? unsqueeze(part, {axis}) : part);
    }
    return {concat(parts, axis)};
}

void readTensors(Graph& graph, Node* reader, const OpCatalog& catalog) {
    const bool joins = reader->opType() == "ConcatFromSequence";
    replaceByNodes(graph, reader, catalog, joins ? joinedTensors : elementRead);
}

void useTensors(Graph& graph, Node* node, const OpCatalog& catalog) {
    if (!makesSequence(*node)) return readTensors(graph, node, catalog);
    const std::vector<Value::Use> uses = node->output(0)->uses();
    for (const Value::Use& use : uses) readTensors(graph, use.node, catalog);
}

}  // namespace

Replacement sequenceByTensors() {
    return {{"SequenceAt", "ConcatFromSequence", "SplitToSequence", "SequenceConstruct"},
            "plain tensors",
            whyNotTensors,
            useTensors};
}

}  // namespace temper
