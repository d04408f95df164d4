// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/ops/shape/shape.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// The shape that all of these have; nullopt if they differ.
std::optional<SymbolicShape> commonShape(const InferenceContext& ctx, size_t begin, size_t end) {
    std::optional<SymbolicShape> result = ctx.shape(begin);
    for (size_t i = begin + 1; i < end && result; ++i) {
        if (ctx.shape(i) != result) result = std::nullopt;
    }
    return result;
}

void inferSequenceConstruct(InferenceContext& ctx) {
    for (size_t i = 1; i < ctx.inputCount(); ++i) requireSameDType(ctx, 0, i);
    ctx.setOutput(0, ValueType{ctx.dtype(0), commonShape(ctx, 0, ctx.inputCount()), true});
}

void inferSequenceAt(InferenceContext& ctx) { ctx.setOutput(0, ctx.dtype(0), ctx.shape(0)); }

void inferSequenceLength(InferenceContext& ctx) { ctx.setOutput(0, DType::Int64, SymbolicShape{}); }

}  // namespace

void addSequenceTypes(OpCatalog& catalog) {
    constexpr size_t kAny = std::numeric_limits<size_t>::max();
    catalog.add({"", "SequenceConstruct", inferSequenceConstruct, 1, kAny, {}});
    catalog.add({"", "SequenceAt", inferSequenceAt, 2, 2, {1}}, {.sequenceInputs = {0}});
    catalog.add({"", "SequenceLength", inferSequenceLength, 1, 1, {0}}, {.sequenceInputs = {0}});
}

}  // namespace temper
