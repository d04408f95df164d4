// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

#include "engine/ir/block_attention.h"
#include "engine/ops/attention/block_attention.h"
#include "engine/ops/type_rules.h"
#include "engine/ops/update/update.h"

namespace temper {
namespace {

namespace names = block_attention;

static_assert(names::kDomain == kTemperDomain);

void requireSight(const InferenceContext& context, size_t first) {
    requireFloating(context, first + names::kBias);
    requireDType(context, first + names::kMask, isBool, "bool");
    for (size_t i = first + names::kPairs; i < context.inputCount(); ++i)
        requireDType(context, i, isIndex, "int64");
}

void requireMatrices(const InferenceContext& context, std::initializer_list<size_t> inputs) {
    for (const size_t i : inputs) {
        requireFloating(context, i);
        if (context.shape(i) && context.shape(i)->size() < 2)
            context.fail("Input " + std::to_string(i) + " has no rows and columns.");
    }
}

void inferForward(InferenceContext& context) {
    requireMatrices(context, {0, 1, 2});
    requireSight(context, names::kForwardSeen);
    const auto &q = context.shape(0), &v = context.shape(2);
    if (!q || !v) return;
    SymbolicShape y = *v;
    y[y.size() - 2] = (*q)[q->size() - 2];
    context.setOutput(0, context.dtype(0), y);
    y.pop_back();
    for (const size_t i : {1, 2}) context.setOutput(i, context.dtype(0), y);
}

void inferBackward(InferenceContext& context) {
    requireMatrices(context, {0, 1, 2, 3, 4});
    requireSight(context, names::kBackwardSeen);
    for (const size_t i : {0, 1, 2}) sameAsInput(context, i + 1, i);
}

void inferSeesAny(InferenceContext& context) {
    requireSight(context, names::kSeesAnySeen);
    std::optional<SymbolicShape> shape = SymbolicShape{};
    for (size_t i = 0; i < context.inputCount(); ++i) {
        if (context.hasInput(i)) shape = broadcastShapes(shape, context.shape(i));
    }
    if (shape && !shape->empty()) shape->back() = Dim::of(1);
    context.setOutput(0, DType::Bool, shape);
}

}  // namespace

void registerBlockAttentionTypes(OpCatalog& catalog) {
    constexpr size_t kAny = std::numeric_limits<size_t>::max();
    const std::string domain(names::kDomain);
    catalog.add({domain, std::string(names::kForward), inferForward, 3, kAny});
    catalog.add({domain, std::string(names::kBackward), inferBackward, 7, kAny});
    catalog.add({domain, std::string(names::kSeesAny), inferSeesAny, 0, kAny});
}

}  // namespace temper
