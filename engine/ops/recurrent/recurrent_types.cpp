// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/recurrent/recurrent.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// The sizes of a recurrent node as far as its inputs determine them.
struct Sizes {
    Dim time, batch, input, hidden, directions;
};

Dim dimOf(const InferenceContext& context, size_t input, size_t axis) {
    const auto& shape = context.shape(input);
    return shape && axis < shape->size() ? (*shape)[axis] : Dim::unknown();
}

Dim dividedBy(const InferenceContext& context, const Dim& dim, int64_t divisor) {
    if (!dim.isNumber()) return Dim::unknown();
    if (!mayDivide(divisor, dim)) {
        context.fail("Dimension 1 of input 1 (W) is " + std::to_string(dim.value) +
                     "; expected a multiple of " + std::to_string(divisor) +
                     ", the number of gates.");
    }
    return quotientOf(dim, divisor);
}

/// All inputs have the same element type, except for the sequence lengths.
void checkDTypes(const InferenceContext& context, size_t inputs) {
    requireFloating(context, kInputX);
    for (size_t i = 1; i < inputs; ++i) {
        if (!context.hasInput(i)) continue;
        if (i != kInputLengths) {
            requireSameDType(context, kInputX, i);
        } else if (context.dtype(i) != DType::Undefined && context.dtype(i) != DType::Int32) {
            context.fail("Input 4 (sequence_lens) is " + std::string(dtypeName(context.dtype(i))) +
                         "; expected int32.");
        }
    }
}

void check(const InferenceContext& context, size_t input, const char* name,
           const SymbolicShape& expected) {
    if (!context.hasInput(input) || !context.shape(input)) return;
    requireRank(context, input, static_cast<int64_t>(expected.size()));
    const SymbolicShape& found = *context.shape(input);
    for (size_t axis = 0; axis < expected.size(); ++axis) {
        if (!found[axis].isNumber() || !expected[axis].isNumber()) continue;
        if (found[axis].value == expected[axis].value) continue;
        context.fail("Input " + std::to_string(input) + " (" + name + ") has the shape " +
                         formatShape(found) + "; expected " + formatShape(expected) + ".",
                     "Check the hidden size, the direction and the layout of the node.");
    }
}

Sizes sizesOf(const InferenceContext& context, const RecurrentAttributes& attributes) {
    requireRank(context, kInputX, 3);
    requireRank(context, kInputW, 3);
    requireRank(context, kInputR, 3);
    Sizes sizes;
    sizes.time = dimOf(context, kInputX, attributes.batchFirst ? 1 : 0);
    sizes.batch = dimOf(context, kInputX, attributes.batchFirst ? 0 : 1);
    sizes.input = dimOf(context, kInputX, 2);
    sizes.directions = Dim::of(attributes.directions);
    sizes.hidden = mergeDims(context, dimOf(context, kInputR, 2),
                             dividedBy(context, dimOf(context, kInputW, 1), attributes.gates()),
                             "the hidden size");
    if (attributes.hiddenSize) {
        sizes.hidden =
            mergeDims(context, sizes.hidden, Dim::of(*attributes.hiddenSize), "the hidden size");
    }
    return sizes;
}

void checkInputs(const InferenceContext& context, const RecurrentAttributes& attributes,
                 const Sizes& s) {
    const int64_t gates = attributes.gates();
    check(context, kInputW, "W", {s.directions, productOf(s.hidden, gates), s.input});
    check(context, kInputR, "R", {s.directions, productOf(s.hidden, gates), s.hidden});
    check(context, kInputB, "B", {s.directions, productOf(s.hidden, 2 * gates)});
    check(context, kInputLengths, "sequence_lens", {s.batch});
    const SymbolicShape state = attributes.batchFirst
                                    ? SymbolicShape{s.batch, s.directions, s.hidden}
                                    : SymbolicShape{s.directions, s.batch, s.hidden};
    check(context, kInputInitialH, "initial_h", state);
    if (attributes.kind != CellKind::Lstm) return;
    check(context, kInputInitialC, "initial_c", state);
    check(context, kInputPeepholes, "P", {s.directions, productOf(s.hidden, 3)});
}

SymbolicShape stateShape(const RecurrentAttributes& attributes, const Sizes& s) {
    if (attributes.batchFirst) return {s.batch, s.directions, s.hidden};
    return {s.directions, s.batch, s.hidden};
}

SymbolicShape sequenceShape(const RecurrentAttributes& attributes, const Sizes& s) {
    if (attributes.batchFirst) return {s.batch, s.time, s.directions, s.hidden};
    return {s.time, s.directions, s.batch, s.hidden};
}

Sizes checkedSizes(const InferenceContext& context, const RecurrentAttributes& attributes) {
    checkDTypes(context, attributes.kind == CellKind::Lstm ? 8 : 6);
    Sizes sizes = sizesOf(context, attributes);
    checkInputs(context, attributes, sizes);
    return sizes;
}

void inferRecurrent(InferenceContext& context) {
    const auto attributes = RecurrentAttributes::of(context.node());
    const Sizes sizes = checkedSizes(context, attributes);
    const DType dtype = context.dtype(kInputX);
    context.setOutput(0, dtype, sequenceShape(attributes, sizes));
    context.setOutput(1, dtype, stateShape(attributes, sizes));
    if (attributes.kind == CellKind::Lstm)
        context.setOutput(2, dtype, stateShape(attributes, sizes));
}

/// ORT's training operators run forward only, and also return what their gradients read: all states
/// of the cell, and the gates after their activations.
void inferTraining(InferenceContext& context) {
    const auto attributes = RecurrentAttributes::of(context.node());
    const Sizes s = checkedSizes(context, attributes);
    const DType dtype = context.dtype(kInputX);
    const SymbolicShape all = sequenceShape(attributes, s);
    SymbolicShape gates = all;
    gates.back() = productOf(s.hidden, attributes.gates());
    context.setOutput(0, dtype, all);
    context.setOutput(1, dtype, stateShape(attributes, s));
    if (attributes.kind == CellKind::Gru) return context.setOutput(2, dtype, gates);
    context.setOutput(2, dtype, stateShape(attributes, s));
    context.setOutput(3, dtype, all);
    context.setOutput(4, dtype, gates);
}

/// The bias [1, 2 gates H] or [1, 3 H], inferred from R [1, gates H, H].
SymbolicShape vectorShape(const InferenceContext& context, int64_t count) {
    return {Dim::of(1), productOf(dimOf(context, kInputR, 2), count)};
}

SymbolicShape initialShape(const InferenceContext& context) {
    return {Dim::of(1), dimOf(context, kInputX, 1), dimOf(context, kInputR, 2)};
}

/// (X, W, R, lengths, H0, C0, ...) to (dX, dW, dR, dB, dH0, dC0, dP).
void inferLstmGrad(InferenceContext& context) {
    requireFloating(context, kInputX);
    for (size_t i = 0; i < 3; ++i) sameAsInput(context, i, i);
    context.setOutput(3, context.dtype(0), vectorShape(context, 8));
    context.setOutput(4, context.dtype(0), initialShape(context));
    context.setOutput(5, context.dtype(0), initialShape(context));
    context.setOutput(6, context.dtype(0), vectorShape(context, 3));
}

/// (X, W, R, B, lengths, H0, ...) to (dX, dW, dR, dB, dH0).
void inferGruGrad(InferenceContext& context) {
    requireFloating(context, kInputX);
    for (size_t i = 0; i < 3; ++i) sameAsInput(context, i, i);
    context.setOutput(3, context.dtype(0), vectorShape(context, 6));
    context.setOutput(4, context.dtype(0), initialShape(context));
}

}  // namespace

void addRecurrentTypes(OpCatalog& catalog) {
    const std::string microsoft(kMicrosoftDomain);
    const OperatorFacts facts{.family = OperatorFamily::Recurrent, .weightInputs = {1, 2, 3}};
    catalog.add({"", "RNN", inferRecurrent, 3, 6, {kInputLengths}}, facts);
    catalog.add({"", "GRU", inferRecurrent, 3, 6, {kInputLengths}}, facts);
    catalog.add({"", "LSTM", inferRecurrent, 3, 8, {kInputLengths}}, facts);
    catalog.add({microsoft, "GRUTraining", inferTraining, 3, 6, {kInputLengths}});
    catalog.add({microsoft, "LSTMTraining", inferTraining, 3, 8, {kInputLengths}});
    catalog.add({microsoft, "GRUGrad", inferGruGrad, 8, 10});
    catalog.add({microsoft, "LSTMGrad", inferLstmGrad, 9, 12});
}

}  // namespace temper
