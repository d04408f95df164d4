// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string_view>

#include "engine/core/counted.h"
#include "engine/ir/inlining.h"
#include "engine/ops/control/control.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

constexpr size_t kMaxInputs = std::numeric_limits<size_t>::max();

/// What holds for both: dimensions that differ are unknown.
ValueType common(const ValueType& a, const ValueType& b) {
    ValueType type = a;
    type.isOptional = a.isOptional || b.isOptional;
    if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) {
        type.shape = std::nullopt;
        return type;
    }
    for (size_t i = 0; i < a.shape->size(); ++i) {
        if (!((*a.shape)[i] == (*b.shape)[i])) (*type.shape)[i] = Dim::unknown();
    }
    return type;
}

void inferIf(InferenceContext& ctx) {
    const auto yes = ctx.inferBody(bodyOf(ctx.node(), "then_branch"), {});
    const auto no = ctx.inferBody(bodyOf(ctx.node(), "else_branch"), {});
    const size_t count = ctx.node().outputs().size();
    if (yes.size() < count || no.size() < count) {
        ctx.fail("The branches have " + std::to_string(yes.size()) + " and " +
                 counted(no.size(), "output") + "; expected " + std::to_string(count) + ".");
    }
    for (size_t i = 0; i < count; ++i) {
        if (yes[i].isKnown() && no[i].isKnown() && yes[i].dtype != no[i].dtype) {
            ctx.fail("The branches give " + formatType(yes[i]) + " and " + formatType(no[i]) +
                     " for output " + std::to_string(i) + "; expected one type.");
        }
        ctx.setOutput(i, common(yes[i], no[i]));
    }
}

constexpr std::string_view kTrips = "_trips";

/// How often a Loop runs: the same number for all of its scan outputs.
Dim tripsOf(const Node& loop) {
    const auto& outputs = loop.outputs();
    const auto first = std::ranges::find_if(outputs, [](const Value* v) { return v != nullptr; });
    return first == outputs.end() ? Dim::unknown()
                                  : Dim::named((*first)->name() + std::string(kTrips));
}

/// A Loop in the body may run a different number of times in each iteration.
void forgetTrips(ValueType& type) {
    if (!type.shape) return;
    for (Dim& dim : *type.shape) {
        if (dim.symbol.ends_with(kTrips)) dim = Dim::unknown();
    }
}

/// Types of the states: the body's outputs become its next inputs.
std::vector<ValueType> stateTypes(InferenceContext& ctx, const Graph& body, size_t first,
                                  const std::vector<ValueType>& leading,
                                  std::vector<ValueType>& outputs) {
    std::vector<ValueType> states;
    for (size_t i = first; i < ctx.inputCount(); ++i) states.push_back(ctx.inputType(i));
    constexpr int kRounds = 3;  // a dimension that grows is unknown after the second
    for (int round = 0; round < kRounds; ++round) {
        std::vector<ValueType> inputs = leading;
        inputs.insert(inputs.end(), states.begin(), states.end());
        outputs = ctx.inferBody(body, inputs);
        for (ValueType& type : outputs) forgetTrips(type);
        bool isStable = true;
        for (size_t i = 0; i < states.size() && i + 1 < outputs.size(); ++i) {
            const ValueType merged = common(states[i], outputs[i + 1]);
            isStable = isStable && merged == states[i];
            states[i] = merged;
        }
        if (isStable) break;
    }
    return states;
}

void inferLoop(InferenceContext& ctx) {
    const Graph& body = bodyOf(ctx.node(), "body");
    const std::vector<ValueType> leading = {{DType::Int64, SymbolicShape{}, false},
                                            {DType::Bool, SymbolicShape{}, false}};
    std::vector<ValueType> outputs;
    const std::vector<ValueType> states = stateTypes(ctx, body, 2, leading, outputs);
    const Dim trips = tripsOf(ctx.node());
    for (size_t i = 0; i < states.size(); ++i) {
        ValueType type = states[i];  // optional only if the body leaves it so
        if (i + 1 < outputs.size()) type.isOptional = outputs[i + 1].isOptional;
        ctx.setOutput(i, std::move(type));
    }
    for (size_t i = states.size() + 1; i < outputs.size(); ++i) {
        ValueType type = outputs[i];
        if (type.shape) type.shape->insert(type.shape->begin(), trips);
        ctx.setOutput(i - 1, std::move(type));
    }
}

/// The type of one slice of a scanned input, and the length of the sequence.
ValueType sliceType(const InferenceContext& ctx, const ScanForm& form, size_t i, Dim& length) {
    ValueType type = ctx.inputType(form.scanInput(i));
    if (!type.shape) return type;
    if (form.isBatched) {
        requireRank(ctx, form.scanInput(i), std::max<int64_t>(type.rank(), 2));
        type.shape->erase(type.shape->begin());
    }
    const int64_t axis = requireAxis(ctx, form.inputs[i].axis, type.rank());
    length = mergeDims(ctx, length, (*type.shape)[static_cast<size_t>(axis)],
                       "the lengths of the scanned inputs");
    type.shape->erase(type.shape->begin() + axis);
    return type;
}

/// The type of all slices of an output together.
ValueType collectedType(const InferenceContext& ctx, const ScanForm& form, size_t i,
                        ValueType slice, const Dim& length, const Dim& batch) {
    if (!slice.shape) return slice;
    const int64_t axis = requireAxis(ctx, form.outputs[i].axis, slice.rank() + 1);
    slice.shape->insert(slice.shape->begin() + axis, length);
    if (form.isBatched) slice.shape->insert(slice.shape->begin(), batch);
    return slice;
}

void inferScan(InferenceContext& ctx) {
    const ScanForm form = scanForm(ctx.node(), ctx.opset());
    std::vector<ValueType> inputs;
    for (size_t i = 0; i < form.states; ++i) {
        ValueType type = ctx.inputType(form.firstInput + i);
        if (form.isBatched && type.shape && !type.shape->empty()) {
            type.shape->erase(type.shape->begin());
        }
        inputs.push_back(std::move(type));
    }
    Dim length = Dim::unknown();
    for (size_t i = 0; i < form.inputs.size(); ++i) {
        inputs.push_back(sliceType(ctx, form, i, length));
    }
    const auto& first = ctx.shape(form.scanInput(0));
    const Dim batch = form.isBatched && first && !first->empty() ? first->front() : Dim::unknown();
    const auto outputs = ctx.inferBody(bodyOf(ctx.node(), "body"), inputs);
    for (size_t i = 0; i < form.states; ++i) ctx.setOutput(i, ctx.inputType(form.firstInput + i));
    for (size_t i = form.states; i < outputs.size(); ++i) {
        ctx.setOutput(i, collectedType(ctx, form, i - form.states, outputs[i], length, batch));
    }
}

void inferSequenceMap(InferenceContext& ctx) {
    const ValueType& first = ctx.inputType(0);
    if (first.isKnown() && !first.isSequence)
        ctx.fail("Input 0 has the type " + formatType(first) + "; expected a sequence of tensors.");
    std::vector<ValueType> inputs;
    for (size_t i = 0; i < ctx.inputCount(); ++i) {
        inputs.push_back(ctx.inputType(i));
        inputs.back().isSequence = false;
    }
    const auto outputs = ctx.inferBody(bodyOf(ctx.node(), "body"), inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
        ValueType type = outputs[i];
        type.isSequence = type.isKnown();
        ctx.setOutput(i, std::move(type));
    }
}

}  // namespace

void registerControlTypes(OpCatalog& catalog) {
    const OperatorFacts facts{.family = OperatorFamily::Control, .takesSequences = true};
    catalog.add({"", "If", inferIf, 1, 1, {0}}, facts);
    catalog.add({"", "Loop", inferLoop, 2, kMaxInputs, {0, 1}}, facts);
    catalog.add({"", "Scan", inferScan, 1, kMaxInputs}, {.family = OperatorFamily::Control});
    catalog.add({"", "SequenceMap", inferSequenceMap, 1, kMaxInputs}, facts);
}

}  // namespace temper
