// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"
#include "engine/ops/indexing/indexing.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

using Content = InferenceContext::Content;

/// Elements of a shape under construction, picked by known indices.
void gatherContent(InferenceContext& ctx) {
    const auto content = ctx.content(0);
    const auto indices = ctx.integers(1);
    if (!content || !indices || ctx.inputType(0).rank() != 1) return;
    const auto size = static_cast<int64_t>(content->size());
    Content result;
    for (const int64_t index : *indices) {
        if (index < -size || index >= size) {
            ctx.fail("Index " + std::to_string(index) + " is outside a tensor of " +
                     counted(size, "element") + ".");
        }
        result.push_back((*content)[static_cast<size_t>(index < 0 ? index + size : index)]);
    }
    ctx.setContent(0, std::move(result));
}

void inferGather(InferenceContext& ctx) {
    requireDType(ctx, 1, isIndex, "int32 or int64");
    const auto& data = ctx.shape(0);
    const auto& indices = ctx.shape(1);
    if (!data || !indices) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    const int64_t axis = requireAxis(ctx, ctx.node().attribute<int64_t>("axis", 0),
                                     static_cast<int64_t>(data->size()));
    SymbolicShape output(data->begin(), data->begin() + axis);
    output.insert(output.end(), indices->begin(), indices->end());
    output.insert(output.end(), data->begin() + axis + 1, data->end());
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
    gatherContent(ctx);
}

/// The indices address elements of the data along one of its axes; both have the same rank.
void checkElements(const InferenceContext& ctx) {
    requireDType(ctx, 1, isIndex, "int32 or int64");
    const auto& data = ctx.shape(0);
    const auto& indices = ctx.shape(1);
    if (!data) return;
    requireAxis(ctx, ctx.node().attribute<int64_t>("axis", 0), static_cast<int64_t>(data->size()));
    if (!indices || data->size() == indices->size()) return;
    ctx.fail("Data " + formatShape(*data) + " and indices " + formatShape(*indices) +
             " differ in rank.");
}

void inferGatherElements(InferenceContext& ctx) {
    checkElements(ctx);
    ctx.setOutput(0, ctx.dtype(0), ctx.shape(1));
}

/// Throws if index tuples of this length, after the batch axes, address more axes than data has.
void checkTuples(const InferenceContext& ctx, const SymbolicShape& data,
                 const SymbolicShape& indices, size_t batchDims) {
    if (indices.empty() || batchDims >= indices.size() || batchDims > data.size()) {
        ctx.fail("Indices " + formatShape(indices) + " have too few axes for batch_dims " +
                 std::to_string(batchDims) + ".");
    }
    const Dim& length = indices.back();
    if (length.isNumber() && static_cast<size_t>(length.value) + batchDims > data.size()) {
        ctx.fail("Index tuples have " + counted(length.value, "entry", "entries") + "; data " +
                 formatShape(data) + " has only " +
                 counted(data.size() - batchDims, "axis", "axes") + " to address.");
    }
}

void inferGatherND(InferenceContext& ctx) {
    requireDType(ctx, 1, isIndex, "int64");
    const auto& data = ctx.shape(0);
    const auto& indices = ctx.shape(1);
    if (!data || !indices) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    const auto batchDims = static_cast<size_t>(ctx.node().attribute<int64_t>("batch_dims", 0));
    checkTuples(ctx, *data, *indices, batchDims);
    if (!indices->back().isNumber()) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    const auto addressed = static_cast<int64_t>(batchDims) + indices->back().value;
    SymbolicShape output(indices->begin(), indices->end() - 1);
    output.insert(output.end(), data->begin() + addressed, data->end());
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
}

void inferScatter(InferenceContext& ctx) {
    checkElements(ctx);
    requireSameDType(ctx, 0, 2);
    sameAsInput(ctx);
}

void inferScatterND(InferenceContext& ctx) {
    requireDType(ctx, 1, isIndex, "int64");
    requireSameDType(ctx, 0, 2);
    sameAsInput(ctx);
}

void inferOneHot(InferenceContext& ctx) {
    requireDType(ctx, 0, isNumeric, "a number");
    const auto& indices = ctx.shape(0);
    if (!indices) return ctx.setOutput(0, ctx.dtype(2), std::nullopt);
    const auto rank = static_cast<int64_t>(indices->size());
    const int64_t axis = requireAxis(ctx, ctx.node().attribute<int64_t>("axis", -1), rank + 1);
    Dim depth = Dim::unknown();
    if (const auto content = ctx.content(1); content && content->size() == 1) {
        depth = content->front().toDim();
    } else if (const Tensor* constant = ctx.constant(1);
               constant != nullptr && constant->numElements() == 1) {
        depth = Dim::of(constant->toInt64());
    }
    SymbolicShape output = *indices;
    output.insert(output.begin() + axis, depth);
    ctx.setOutput(0, ctx.dtype(2), std::move(output));
}

/// The attribute `k` until opset 9, an input since.
Dim chosenCount(const InferenceContext& ctx) {
    if (!ctx.hasInput(1)) return Dim::of(ctx.node().attribute<int64_t>("k", 1));
    const auto content = ctx.content(1);
    return content && content->size() == 1 ? content->front().toDim() : Dim::unknown();
}

void inferTopK(InferenceContext& ctx) {
    requireDType(ctx, 1, isIndex, "int64");
    const auto& data = ctx.shape(0);
    if (!data) {
        ctx.setOutput(0, ctx.dtype(0), std::nullopt);
        return ctx.setOutput(1, DType::Int64, std::nullopt);
    }
    const int64_t axis = requireAxis(ctx, ctx.node().attribute<int64_t>("axis", -1),
                                     static_cast<int64_t>(data->size()));
    const Dim count = chosenCount(ctx);
    const Dim& available = (*data)[axis];
    if (count.isNumber() && available.isNumber() && count.value > available.value) {
        ctx.fail("The " + std::to_string(count.value) + " largest elements of axis " +
                 std::to_string(axis) + " are requested; it has " +
                 std::to_string(available.value) + ".");
    }
    SymbolicShape output = *data;
    output[axis] = count;
    ctx.setOutput(0, ctx.dtype(0), output);
    ctx.setOutput(1, DType::Int64, std::move(output));
}

/// The number of results depends on the data.
void inferNonZero(InferenceContext& ctx) {
    const Dim rank = ctx.shape(0) ? Dim::of(ctx.inputType(0).rank()) : Dim::unknown();
    ctx.setOutput(0, DType::Int64, SymbolicShape{rank, Dim::unknown()});
}

void inferCompress(InferenceContext& ctx) {
    requireDType(ctx, 1, isBool, "bool");
    const auto& data = ctx.shape(0);
    const auto axis = ctx.node().attribute<int64_t>("axis");
    if (!axis) return ctx.setOutput(0, ctx.dtype(0), unknownDims(1));
    if (!data) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    SymbolicShape output = *data;
    output[requireAxis(ctx, *axis, ctx.inputType(0).rank())] = Dim::unknown();
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
}

void inferUnique(InferenceContext& ctx) {
    const auto axis = ctx.node().attribute<int64_t>("axis");
    std::optional<SymbolicShape> output = ctx.shape(0);
    if (!axis) output = unknownDims(1);
    if (axis && output) {
        (*output)[requireAxis(ctx, *axis, ctx.inputType(0).rank())] = Dim::unknown();
    }
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
    for (size_t i = 1; i < 4; ++i) ctx.setOutput(i, DType::Int64, unknownDims(1));
}

bool isFloat32(DType dtype) { return dtype == DType::Float32; }

void inferNonMaxSuppression(InferenceContext& ctx) {
    requireDType(ctx, 0, isFloat32, "float32");
    requireDType(ctx, 1, isFloat32, "float32");
    requireRank(ctx, 0, 3);
    requireRank(ctx, 1, 3);
    ctx.setOutput(0, DType::Int64, SymbolicShape{Dim::unknown(), Dim::of(3)});
}

/// A gradient of the shape that input `shape` holds, with the element type of input `gradient`.
TypeInference shapeFrom(size_t shape, size_t gradient) {
    return [=](InferenceContext& ctx) {
        ctx.setOutput(0, ctx.dtype(gradient), shapeFromInput(ctx, shape));
    };
}

}  // namespace

void addIndexingTypes(OpCatalog& catalog) {
    const std::string ms(kMicrosoftDomain);
    catalog.add({"", "Gather", inferGather, 2, 2, {1}},
                {.family = OperatorFamily::Arrangement, .weightInputs = {0}});
    catalog.add({ms, "ShrunkenGather", inferGather, 2, 2, {1}});
    catalog.add({"", "GatherElements", inferGatherElements, 2, 2, {1}});
    catalog.add({"", "GatherND", inferGatherND, 2, 2, {1}});
    catalog.add({"", "Scatter", inferScatter, 3, 3, {1}});
    catalog.add({"", "ScatterElements", inferScatter, 3, 3, {1}});
    catalog.add({"", "ScatterND", inferScatterND, 3, 3, {1}});
    catalog.add({"", "OneHot", inferOneHot, 3, 3, {0, 1}});
    catalog.add({"", "TopK", inferTopK, 1, 2, {1}});
    catalog.add({"", "NonZero", inferNonZero, 1, 1, {0}});
    catalog.add({"", "Compress", inferCompress, 2, 2, {1}});
    catalog.add({"", "Unique", inferUnique, 1, 1, {}});
    catalog.add({"", "NonMaxSuppression", inferNonMaxSuppression, 2, 5, {0, 1, 2, 3, 4}});
    catalog.add({ms, "GatherGrad", shapeFrom(0, 2), 3, 3, {0, 1}});
    catalog.add({ms, "GatherElementsGrad", shapeFrom(1, 0), 3, 3, {1, 2}});
    catalog.add({ms, "GatherNDGrad", shapeFrom(0, 2), 3, 3, {0, 1}});
}

}  // namespace temper
