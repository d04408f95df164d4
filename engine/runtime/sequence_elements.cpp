// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/sequence_elements.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "engine/core/checked.h"
#include "engine/core/shape.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// Longer sequences are left to kernels: a node for each element would be too many.
constexpr int64_t kMaxElements = 20000;

bool isOp(const Node& node, std::string_view op) {
    return node.domain().empty() && node.opType() == op;
}

bool changesSequence(const Node& node) {
    return isOp(node, "SequenceInsert") || isOp(node, "SequenceErase");
}

/// Whether it has the value of its input: a copy, or an optional around it.
bool handsOn(const Node& node) {
    const bool isCopy =
        isOp(node, "Identity") || isOp(node, "Optional") || isOp(node, "OptionalGetElement");
    return isCopy && node.input(0) != nullptr;
}

std::optional<std::vector<int64_t>> integersOf(const Graph& graph, const Value& value,
                                               const OpCatalog& catalog) {
    if (!value.isInitializer()) return knownIntegers(graph, value, catalog);
    const Tensor wide = value.constant().cast(DType::Int64);
    const auto numbers = wide.values<int64_t>();
    return std::vector<int64_t>(numbers.begin(), numbers.end());
}

std::optional<int64_t> fromStart(int64_t place, int64_t count, int64_t last) {
    if (place < 0) place += count;
    return place >= 0 && place <= last ? std::optional(place) : std::nullopt;
}

/// Parts of `part` elements, the last of which may be smaller; both are numbers, `part` from 1 on.
int64_t partCount(const Dim& dim, int64_t part) {
    return dim.value == 0 ? 0 : sumOf(quotientOf(sumOf(dim, -1), part), 1).value;
}

}  // namespace

std::optional<SymbolicShape> SequenceElement::shape() const {
    std::optional<SymbolicShape> result = tensor->type().shape;
    if (!result || !piece) return result;
    const auto axis = static_cast<size_t>(piece->axis);
    if (axis >= result->size()) return std::nullopt;
    Dim& dim = (*result)[axis];
    const int64_t end = dim.isNumber() ? std::min(dim.value, piece->end) : piece->end;
    dim = Dim::of(std::max<int64_t>(end - piece->begin, 0));
    if (piece->isSqueezed) result->erase(result->begin() + piece->axis);
    return result;
}

Node* KnownSequences::sourceOf(const Value* value) {
    Node* node = value == nullptr ? nullptr : value->producer();
    while (node != nullptr && handsOn(*node)) node = node->input(0)->producer();
    return node;
}

std::optional<int64_t> KnownSequences::number(const Value* value) const {
    if (value == nullptr) return std::nullopt;
    const auto integers = integersOf(graph_, *value, catalog_);
    if (!integers || integers->size() != 1) return std::nullopt;
    return integers->front();
}

std::optional<std::vector<SequenceElement>> KnownSequences::elementsOf(
    const Value* sequence) const {
    std::vector<const Node*> changes;  // the last one first
    const Node* node = sourceOf(sequence);
    while (node != nullptr && changesSequence(*node)) {
        changes.push_back(node);
        node = sourceOf(node->input(0));
    }
    if (node == nullptr) return std::nullopt;
    std::optional<Elements> elements;
    if (isOp(*node, "SequenceEmpty")) elements.emplace();
    if (isOp(*node, "SplitToSequence")) elements = partsOf(*node);
    if (isOp(*node, "SequenceConstruct")) {
        elements.emplace();
        for (Value* value : node->inputs()) elements->push_back({value});
    }
    for (auto each = changes.rbegin(); each != changes.rend() && elements; ++each) {
        elements = change(std::move(*elements), **each);
    }
    return elements;
}

/// By default, a SequenceInsert appends at the end and a SequenceErase removes the last element.
std::optional<std::vector<SequenceElement>> KnownSequences::change(Elements elements,
                                                                   const Node& node) const {
    const bool isInsertion = isOp(node, "SequenceInsert");
    const auto count = static_cast<int64_t>(elements.size());
    const int64_t last = isInsertion ? count : count - 1;
    const Value* place = node.input(isInsertion ? 2 : 1);
    const std::optional<int64_t> at = place == nullptr ? std::optional(last) : number(place);
    const auto position = at ? fromStart(*at, count, last) : std::nullopt;
    if (!position || *position < 0) return std::nullopt;
    const auto where = elements.begin() + *position;
    if (isInsertion) {
        elements.insert(where, {node.input(1)});
    } else {
        elements.erase(where);
    }
    return elements;
}

std::optional<std::vector<SequenceElement>> KnownSequences::partsOf(const Node& split) const {
    const auto& shape = split.input(0)->type().shape;
    if (!shape) return std::nullopt;
    const int64_t axis = normalizeAxis(split.attribute<int64_t>("axis", 0),
                                       static_cast<int64_t>(shape->size()), "The axis");
    int64_t count = 0;
    const Value* sizes = split.input(1);
    if (sizes != nullptr && sizes->type().rank() == 1) {
        const auto numbers = integersOf(graph_, *sizes, catalog_);
        if (!numbers) return std::nullopt;
        count = static_cast<int64_t>(numbers->size());
    } else {
        const Dim& dim = (*shape)[static_cast<size_t>(axis)];
        const std::optional<int64_t> part =
            sizes == nullptr ? std::optional<int64_t>(1) : number(sizes);
        if (!dim.isNumber() || !part || *part < 1) return std::nullopt;
        count = partCount(dim, *part);
    }
    if (count > kMaxElements) return std::nullopt;
    Elements parts;
    for (int64_t i = 0; i < count; ++i) {
        const auto part = partOf(split, i);
        if (!part) return std::nullopt;
        parts.push_back(*part);
    }
    return parts;
}

/// Parts of one size, the last may be smaller, or of given sizes; without sizes, single slices that
/// lose their axis unless it has to be kept.
std::optional<SequenceElement> KnownSequences::partOf(const Node& split, int64_t place) const {
    Value* whole = split.input(0);
    const auto& shape = whole->type().shape;
    if (!shape) return std::nullopt;
    SequencePiece piece{.axis = normalizeAxis(split.attribute<int64_t>("axis", 0),
                                              static_cast<int64_t>(shape->size()), "The axis")};
    const Value* sizes = split.input(1);
    const Dim& dim = (*shape)[static_cast<size_t>(piece.axis)];
    if (sizes != nullptr && sizes->type().rank() != 0) {
        const auto numbers = integersOf(graph_, *sizes, catalog_);
        if (!numbers || sizes->type().rank() != 1) return std::nullopt;
        const auto count = static_cast<int64_t>(numbers->size());
        const auto at = fromStart(place, count, count - 1);
        if (!at) return std::nullopt;
        piece.begin =
            std::accumulate(numbers->begin(), numbers->begin() + *at, int64_t{0}, checkedSum);
        piece.end = checkedSum(piece.begin, (*numbers)[static_cast<size_t>(*at)]);
        return SequenceElement{whole, piece};
    }
    const auto part = sizes == nullptr ? std::optional<int64_t>(1) : number(sizes);
    if (!part || *part < 1) return std::nullopt;
    piece.isSqueezed = sizes == nullptr && split.attribute<int64_t>("keepdims", 1) == 0;
    if (place < 0) {
        if (!dim.isNumber()) return std::nullopt;
        place += partCount(dim, *part);
    }
    piece.begin = checkedProduct(place, *part);
    piece.end = checkedSum(piece.begin, *part);
    const bool isOutside = place < 0 || (dim.isNumber() && piece.begin >= dim.value);
    return isOutside ? std::nullopt : std::optional(SequenceElement{whole, piece});
}

std::optional<SequenceElement> KnownSequences::elementAt(const Value* sequence,
                                                         int64_t place) const {
    const Node* source = sourceOf(sequence);
    if (source != nullptr && isOp(*source, "SplitToSequence")) return partOf(*source, place);
    const auto elements = elementsOf(sequence);
    if (!elements) return std::nullopt;
    const auto count = static_cast<int64_t>(elements->size());
    const auto at = fromStart(place, count, count - 1);
    return at ? std::optional((*elements)[static_cast<size_t>(*at)]) : std::nullopt;
}

const Node* KnownSequences::slicesOf(const Value* sequence) const {
    const Node* source = sourceOf(sequence);
    const bool isSplit = source != nullptr && isOp(*source, "SplitToSequence");
    return isSplit && source->input(1) == nullptr && source->input(0)->type().shape ? source
                                                                                    : nullptr;
}

}  // namespace temper
