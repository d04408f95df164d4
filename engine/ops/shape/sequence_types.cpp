// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/shape/sequence_place.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

using Shapes = std::vector<std::optional<SymbolicShape>>;

/// The shape that all of these have; nullopt if they differ.
std::optional<SymbolicShape> commonShape(const Shapes& shapes) {
    std::optional<SymbolicShape> result = shapes.empty() ? std::nullopt : shapes.front();
    for (const auto& shape : shapes) {
        if (shape != result) return std::nullopt;
    }
    return result;
}

void inferSequenceConstruct(InferenceContext& ctx) {
    Shapes shapes;
    for (size_t i = 0; i < ctx.inputCount(); ++i) {
        requireSameDType(ctx, 0, i);
        shapes.push_back(ctx.shape(i));
    }
    ctx.setOutput(0, ValueType{ctx.dtype(0), commonShape(shapes), true});
}

void inferSequenceEmpty(InferenceContext& ctx) {
    ctx.setOutput(0, ValueType{dtypeAttribute(ctx, "dtype", DType::Float32), std::nullopt, true});
}

void inferSequenceInsert(InferenceContext& ctx) {
    requireSameDType(ctx, 0, 1);
    const DType dtype = ctx.inputType(0).isKnown() ? ctx.dtype(0) : ctx.dtype(1);
    ctx.setOutput(0, ValueType{dtype, commonShape({ctx.shape(0), ctx.shape(1)}), true});
}

void inferSequenceAt(InferenceContext& ctx) {
    const auto elements = ctx.elements(0);
    const auto position = ctx.integers(1);
    if (!elements || !position) return ctx.setOutput(0, ctx.dtype(0), ctx.shape(0));
    ctx.setOutput(0, (*elements)[placeInSequence(*position, elements->size(), elements->size())]);
}

void inferSequenceLength(InferenceContext& ctx) { ctx.setOutput(0, DType::Int64, SymbolicShape{}); }

/// The length that all parts have; of those of one size, the last may be smaller.
Dim commonPart(const InferenceContext& ctx, const Dim& dim) {
    if (!ctx.hasInput(1)) return Dim::of(1);
    const auto split = ctx.integers(1);
    if (!split || split->empty()) return Dim::unknown();
    const int64_t first = split->front();
    if (ctx.inputType(1).rank() == 0)
        return dim.isNumber() && mayDivide(first, dim) ? Dim::of(first) : Dim::unknown();
    if (ctx.inputType(1).rank() != 1) return Dim::unknown();
    const bool isOne = std::ranges::count(*split, first) == std::ssize(*split);
    return isOne && first >= 0 ? Dim::of(first) : Dim::unknown();
}

void inferSplitToSequence(InferenceContext& ctx) {
    requireDType(ctx, 1, isIndex, "int64");
    std::optional<SymbolicShape> shape = ctx.shape(0);
    if (shape) {
        const auto axis = static_cast<size_t>(requireAxis(
            ctx, ctx.node().attribute<int64_t>("axis", 0), static_cast<int64_t>(shape->size())));
        const bool isKept = ctx.hasInput(1) || ctx.node().attribute<int64_t>("keepdims", 1) != 0;
        (*shape)[axis] = commonPart(ctx, (*shape)[axis]);
        if (!isKept) shape->erase(shape->begin() + static_cast<std::ptrdiff_t>(axis));
    }
    ctx.setOutput(0, ValueType{ctx.dtype(0), std::move(shape), true});
}

/// The shape of all tensors along an axis; the number of tensors is only known with `elements`.
class JoinedShape {
public:
    explicit JoinedShape(const InferenceContext& ctx)
        : ctx_(ctx), isNew_(ctx.node().attribute<int64_t>("new_axis", 0) != 0) {}

    void add(const SymbolicShape& element) {
        const int64_t rank = static_cast<int64_t>(element.size()) + (isNew_ ? 1 : 0);
        const auto axis = requireAxis(ctx_, ctx_.node().attribute<int64_t>("axis", 0), rank);
        SymbolicShape part = element;
        if (isNew_) part.insert(part.begin() + axis, Dim::of(1));
        if (!shape_) {
            shape_ = std::move(part);
            return;
        }
        if (part.size() != shape_->size()) {
            ctx_.fail("The sequence has tensors of shapes " + formatShape(*shape_) + " and " +
                      formatShape(part) + "; expected equal ranks.");
        }
        for (size_t d = 0; d < part.size(); ++d) {
            Dim& dim = (*shape_)[d];
            dim = static_cast<int64_t>(d) == axis
                      ? sumOf(dim, part[d])
                      : mergeDims(ctx_, dim, part[d], "Dimensions of the tensors of the sequence");
        }
    }

    std::optional<SymbolicShape> all() const { return shape_; }
    /// For an unknown number of such tensors.
    std::optional<SymbolicShape> any() const {
        if (!shape_) return std::nullopt;
        SymbolicShape shape = *shape_;
        const int64_t axis = requireAxis(ctx_, ctx_.node().attribute<int64_t>("axis", 0),
                                         static_cast<int64_t>(shape.size()));
        shape[static_cast<size_t>(axis)] = Dim::unknown();
        return shape;
    }

private:
    const InferenceContext& ctx_;
    bool isNew_;
    std::optional<SymbolicShape> shape_;
};

void inferConcatFromSequence(InferenceContext& ctx) {
    JoinedShape joined(ctx);
    const auto elements = ctx.elements(0);
    if (!elements) {
        if (ctx.shape(0)) joined.add(*ctx.shape(0));
        return ctx.setOutput(0, ctx.dtype(0), joined.any());
    }
    if (elements->empty()) ctx.fail("The sequence is empty; expected at least one tensor.");
    for (const ValueType& element : *elements) joined.add(*element.shape);
    ctx.setOutput(0, elements->front().dtype, joined.all());
}

void inferOptional(InferenceContext& ctx) {
    if (!ctx.hasInput(0) && !ctx.node().hasAttribute("type"))
        ctx.fail("It has neither an input nor the attribute 'type'; expected one of them.");
    ValueType type =
        ctx.hasInput(0) ? ctx.inputType(0) : ctx.node().attribute<ValueType>("type", {});
    type.isOptional = true;
    ctx.setOutput(0, std::move(type));
}

void inferOptionalGetElement(InferenceContext& ctx) {
    if (ctx.isAbsent(0)) ctx.failAbsent(0);
    ValueType type = ctx.inputType(0);
    type.isOptional = false;
    ctx.setOutput(0, std::move(type));
}

void inferOptionalHasElement(InferenceContext& ctx) {
    ctx.setOutput(0, DType::Bool, SymbolicShape{});
}

}  // namespace

void addSequenceTypes(OpCatalog& catalog) {
    constexpr size_t kAny = std::numeric_limits<size_t>::max();
    const OperatorFacts readsSequence{.sequenceInputs = {0}};
    const OperatorFacts takesAny{.takesSequences = true};
    catalog.add({"", "SequenceConstruct", inferSequenceConstruct, 1, kAny, {}});
    catalog.add({"", "SequenceEmpty", inferSequenceEmpty, 0, 0});
    catalog.add({"", "SequenceInsert", inferSequenceInsert, 2, 3, {2}}, readsSequence);
    catalog.add({"", "SequenceErase", [](InferenceContext& ctx) { sameAsInput(ctx); }, 1, 2, {1}},
                readsSequence);
    catalog.add({"", "SequenceAt", inferSequenceAt, 2, 2, {1}}, readsSequence);
    catalog.add({"", "SequenceLength", inferSequenceLength, 1, 1, {0}}, readsSequence);
    catalog.add({"", "SplitToSequence", inferSplitToSequence, 1, 2, {1}});
    catalog.add({"", "ConcatFromSequence", inferConcatFromSequence, 1, 1}, readsSequence);
    catalog.add({"", "Optional", inferOptional, 0, 1}, takesAny);
    catalog.add({"", "OptionalGetElement", inferOptionalGetElement, 1, 1}, takesAny);
    catalog.add({"", "OptionalHasElement", inferOptionalHasElement, 0, 1, {0}}, takesAny);
}

}  // namespace temper
