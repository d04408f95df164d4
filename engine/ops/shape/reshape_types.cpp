// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "engine/core/counted.h"
#include "engine/ir/dim_product.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// The dimension that -1 stands for: what the others leave of the input's elements.
Dim remainingDim(const InferenceContext& ctx, const SymbolicShape& input,
                 const SymbolicShape& others) {
    const DimProduct all(input);
    const DimProduct known(others);
    if (const auto rest = all.dividedBy(known)) return rest->toDim();
    if (all.isNumber() && known.isNumber()) {
        if (known.coefficient() == 0 && all.coefficient() == 0) return Dim::of(0);
        ctx.fail("Input " + formatShape(input) + " can't be reshaped: its " +
                 counted(all.coefficient(), "element") + " are not a multiple of " +
                 std::to_string(known.coefficient()) + ".");
    }
    return Dim::unknown();
}

void checkReshape(const InferenceContext& ctx, const SymbolicShape& input,
                  const SymbolicShape& output) {
    const DimProduct from(input);
    const DimProduct to(output);
    if (from.isNumber() && to.isNumber() && from.coefficient() != to.coefficient()) {
        ctx.fail("Input " + formatShape(input) + " can't be reshaped to " + formatShape(output) +
                     ": the numbers of elements differ.",
                 "Check the shape that the exporter wrote; a fixed batch size is often the cause.");
    }
}

SymbolicShape reshapedShape(const InferenceContext& ctx, const std::optional<SymbolicShape>& input,
                            const InferenceContext::Content& target, bool allowZero) {
    SymbolicShape result;
    std::optional<size_t> open;
    SymbolicShape others;
    for (size_t i = 0; i < target.size(); ++i) {
        const SymbolicInt& wanted = target[i];
        Dim dim = wanted.toDim();
        if (wanted.value == -1) {
            if (open) ctx.fail("The shape holds -1 twice; expected it at most once.");
            open = i;
        } else if (wanted.value == 0 && !allowZero) {
            if (input && i >= input->size()) {
                ctx.fail("The shape keeps dimension " + std::to_string(i) + " of an input " +
                         formatShape(*input) + ", which has none.");
            }
            dim = input ? (*input)[i] : Dim::unknown();
        }
        result.push_back(dim);
        if (wanted.value != -1) others.push_back(dim);
    }
    if (!input) return result;
    if (open) result[*open] = remainingDim(ctx, *input, others);
    checkReshape(ctx, *input, result);
    return result;
}

void inferReshape(InferenceContext& ctx) {
    const bool allowZero = ctx.node().attribute<int64_t>("allowzero", 0) != 0;
    const auto target = ctx.content(1);
    if (!target) {
        const auto length = lengthOf(ctx, 1);
        ctx.setOutput(0, ctx.dtype(0), length ? std::optional(unknownDims(*length)) : std::nullopt);
        return;
    }
    ctx.setOutput(0, ctx.dtype(0), reshapedShape(ctx, ctx.shape(0), *target, allowZero));
    passContent(ctx, 0, 0);
}

void inferFlatten(InferenceContext& ctx) {
    const auto& input = ctx.shape(0);
    if (!input) {
        ctx.setOutput(0, ctx.dtype(0), unknownDims(2));
        return;
    }
    const int64_t rank = ctx.inputType(0).rank();
    const int64_t axis = ctx.node().attribute<int64_t>("axis", 1);
    const size_t cut = axis == rank ? input->size() : requireAxis(ctx, axis, rank);
    const std::span<const Dim> dims(*input);
    ctx.setOutput(
        0, ctx.dtype(0),
        SymbolicShape{DimProduct(dims.first(cut)).toDim(), DimProduct(dims.subspan(cut)).toDim()});
}

void inferTranspose(InferenceContext& ctx) {
    const auto& input = ctx.shape(0);
    if (!input) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    std::vector<int64_t> permutation(input->size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
    permutation = ctx.node().attribute("perm", permutation);
    if (permutation.size() != input->size()) {
        ctx.fail("Permutation " + formatShape(permutation) + " does not fit input " +
                 formatShape(*input) + "; expected one entry per axis.");
    }
    requireAxes(ctx, permutation, ctx.inputType(0).rank());
    SymbolicShape output;
    for (const int64_t axis : permutation) {
        output.push_back((*input)[requireAxis(ctx, axis, ctx.inputType(0).rank())]);
    }
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
    if (input->size() <= 1) passContent(ctx, 0, 0);
}

/// All dimensions of size 1, if every dimension is a number.
std::optional<std::vector<int64_t>> unitAxes(const SymbolicShape& shape) {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (!shape[i].isNumber()) return std::nullopt;
        if (shape[i].value == 1) axes.push_back(static_cast<int64_t>(i));
    }
    return axes;
}

void inferSqueeze(InferenceContext& ctx) {
    passContent(ctx, 0, 0);
    const auto& input = ctx.shape(0);
    const bool explicitAxes = ctx.hasInput(1) || ctx.node().hasAttribute("axes");
    const auto axes = explicitAxes ? ctx.axes(1) : input ? unitAxes(*input) : std::nullopt;
    if (!input || !axes) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    SymbolicShape output = *input;
    const std::vector<int64_t> removed = requireAxes(ctx, *axes, ctx.inputType(0).rank());
    for (auto axis = removed.rbegin(); axis != removed.rend(); ++axis) {
        const Dim& dim = (*input)[*axis];
        if (dim.isNumber() && dim.value != 1) {
            ctx.fail("Axis " + std::to_string(*axis) + " of input " + formatShape(*input) +
                     " is squeezed; expected a dimension of 1.");
        }
        output.erase(output.begin() + *axis);
    }
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
}

void inferUnsqueeze(InferenceContext& ctx) {
    passContent(ctx, 0, 0);
    const auto& input = ctx.shape(0);
    const auto axes = ctx.axes(1);
    if (!input || !axes) {
        const auto count = axes ? std::optional(axes->size()) : lengthOf(ctx, 1);
        ctx.setOutput(
            0, ctx.dtype(0),
            input && count ? std::optional(unknownDims(input->size() + *count)) : std::nullopt);
        return;
    }
    const auto rank = static_cast<int64_t>(input->size() + axes->size());
    SymbolicShape output = *input;
    for (const int64_t axis : requireAxes(ctx, *axes, rank)) {
        output.insert(output.begin() + axis, Dim::of(1));
    }
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
}

/// The content of an expanded integer tensor, if it is small.
void expandContent(InferenceContext& ctx, const SymbolicShape& output) {
    constexpr int64_t kLargest = 64;
    const auto content = ctx.content(0);
    const auto shape = concreteShape(output);
    if (!content || !shape || numElements(*shape) > kLargest) return;
    const auto count = static_cast<size_t>(numElements(*shape));
    if (content->size() == 1) {
        ctx.setContent(0, InferenceContext::Content(count, content->front()));
    } else if (content->size() == count) {
        ctx.setContent(0, *content);
    }
}

void inferExpand(InferenceContext& ctx) {
    const auto output = broadcastShapes(ctx.shape(0), shapeFromInput(ctx, 1));
    ctx.setOutput(0, ctx.dtype(0), output);
    if (output) expandContent(ctx, *output);
}

void inferTile(InferenceContext& ctx) {
    const auto& input = ctx.shape(0);
    const auto repeats = shapeFromInput(ctx, 1);
    if (!input) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    if (!repeats) return ctx.setOutput(0, ctx.dtype(0), unknownDims(input->size()));
    if (repeats->size() != input->size()) {
        ctx.fail("Tile has " + counted(repeats->size(), "repeat") + " for input " +
                 formatShape(*input) + "; expected one per axis.");
    }
    SymbolicShape output;
    for (size_t i = 0; i < input->size(); ++i) {
        output.push_back(DimProduct(std::vector{(*input)[i], (*repeats)[i]}).toDim());
    }
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
}

/// No tensor has more channels than its square.
constexpr int64_t kLargestBlock = 1 << 20;

int64_t blockSize(const InferenceContext& ctx) {
    const int64_t block = ctx.node().attribute<int64_t>("blocksize", 0);
    if (block <= 0) ctx.fail("Attribute 'blocksize' is missing or not positive.");
    if (block > kLargestBlock) {
        ctx.fail("Attribute 'blocksize' is " + std::to_string(block) + "; expected at most " +
                 std::to_string(kLargestBlock) + ".");
    }
    return block;
}

const SymbolicShape* imageShape(const InferenceContext& ctx) {
    const auto& input = ctx.shape(0);
    if (input && input->size() != 4) {
        ctx.fail("Input has shape " + formatShape(*input) + "; expected rank 4 (N, C, H, W).");
    }
    return input ? &*input : nullptr;
}

Dim times(const Dim& dim, int64_t factor) {
    return DimProduct(std::vector{dim, Dim::of(factor)}).toDim();
}

Dim dividedBy(const InferenceContext& ctx, const Dim& dim, int64_t divisor) {
    const auto quotient =
        DimProduct(std::vector{dim}).dividedBy(DimProduct(std::vector{Dim::of(divisor)}));
    if (!quotient && dim.isNumber()) {
        ctx.fail("Dimension " + std::to_string(dim.value) + " is not a multiple of " +
                 std::to_string(divisor) + ".");
    }
    return quotient ? quotient->toDim() : Dim::unknown();
}

void inferDepthToSpace(InferenceContext& ctx) {
    const int64_t block = blockSize(ctx);
    const SymbolicShape* x = imageShape(ctx);
    if (x == nullptr) return ctx.setOutput(0, ctx.dtype(0), unknownDims(4));
    ctx.setOutput(0, ctx.dtype(0),
                  SymbolicShape{(*x)[0], dividedBy(ctx, (*x)[1], block * block),
                                times((*x)[2], block), times((*x)[3], block)});
}

void inferSpaceToDepth(InferenceContext& ctx) {
    const int64_t block = blockSize(ctx);
    const SymbolicShape* x = imageShape(ctx);
    if (x == nullptr) return ctx.setOutput(0, ctx.dtype(0), unknownDims(4));
    ctx.setOutput(0, ctx.dtype(0),
                  SymbolicShape{(*x)[0], times((*x)[1], block * block),
                                dividedBy(ctx, (*x)[2], block), dividedBy(ctx, (*x)[3], block)});
}

void inferSameType(InferenceContext& ctx) { sameAsInput(ctx); }

void inferReverseSequence(InferenceContext& ctx) {
    sameAsInput(ctx);
    requireDType(ctx, 1, isIndex, "int64");
    const int64_t rank = ctx.inputType(0).rank();
    if (rank < 0) return;
    requireAxis(ctx, ctx.node().attribute<int64_t>("time_axis", 0), rank);
    const int64_t batchAxis = ctx.node().attribute<int64_t>("batch_axis", 1);
    const auto axis = static_cast<size_t>(requireAxis(ctx, batchAxis, rank));
    requireRank(ctx, 1, 1);
    if (ctx.shape(0) && ctx.shape(1)) {
        mergeDims(ctx, (*ctx.shape(0))[axis], ctx.shape(1)->front(),
                  "The batch and the number of lengths");
    }
}

}  // namespace

void addReshapeTypes(OpCatalog& catalog) {
    constexpr auto kFamily = OperatorFamily::Arrangement;
    OperatorFacts facts{.family = kFamily, .movesData = true};
    catalog.add({"", "Unsqueeze", inferUnsqueeze, 1, 2, {1}}, facts);
    facts.keepsClasses = true;
    catalog.add({"", "Reshape", inferReshape, 2, 2, {1}}, facts);
    catalog.add({"", "Flatten", inferFlatten, 1, 1, {}}, facts);
    catalog.add({"", "Transpose", inferTranspose, 1, 1, {}}, facts);
    catalog.add({"", "Squeeze", inferSqueeze, 1, 2, {1}}, facts);
    catalog.add({"", "Expand", inferExpand, 2, 2, {1}});
    catalog.add({"", "Tile", inferTile, 2, 2, {1}});
    catalog.add({"", "DepthToSpace", inferDepthToSpace, 1, 1, {}});
    catalog.add({"", "SpaceToDepth", inferSpaceToDepth, 1, 1, {}});
    catalog.add({"", "Trilu", inferSameType, 1, 2, {1}});
    catalog.add({std::string(kMicrosoftDomain), "Trilu", inferSameType, 1, 2, {1}});
    catalog.add({"", "ReverseSequence", inferReverseSequence, 2, 2, {1}});
}

}  // namespace temper
