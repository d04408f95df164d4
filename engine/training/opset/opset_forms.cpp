// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "engine/training/opset/opset_table.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;
using Floats = std::vector<float>;

// Slice, TopK, Pad, Clip: attributes became inputs.

void sliceToInputs(OpsetEdit& edit) {
    const auto starts = edit.attribute<Integers>("starts", {});
    const auto axes = edit.attribute<Integers>("axes", {});
    edit.setIntegers(1, "starts", starts);
    edit.setIntegers(2, "ends", edit.attribute<Integers>("ends", {}));
    if (!axes.empty()) edit.setIntegers(3, "axes", axes);
    for (const char* name : {"starts", "ends", "axes"}) edit.node()->removeAttribute(name);
}

void sliceToAttributes(OpsetEdit& edit) {
    const Integers steps = edit.has(4) ? edit.integers(4, "steps") : Integers{};
    if (std::ranges::any_of(steps, [](int64_t step) { return step != 1; })) {
        edit.refuse("it has a step");
    }
    Node* node = edit.node();
    node->setAttribute("starts", edit.integers(1, "starts"));
    node->setAttribute("ends", edit.integers(2, "ends"));
    if (edit.has(3)) {
        Integers axes = edit.integers(3, "axes");
        for (int64_t& axis : axes) axis = edit.fromFront(axis);
        node->setAttribute("axes", axes);
    }
    edit.keepInputs(1);
}

void countToInput(OpsetEdit& edit) {
    edit.setIntegers(1, "k", {edit.attribute<int64_t>("k", 1)});
    edit.node()->removeAttribute("k");
}

void countToAttribute(OpsetEdit& edit) {
    edit.node()->setAttribute("k", edit.integer(1, "count"));
    edit.keepInputs(1);
}

/// Unsorted results may have any order.
void largestOnly(OpsetEdit& edit) {
    edit.dropAttribute("largest", int64_t{1});
    edit.node()->removeAttribute("sorted");
}

void padsToInputs(OpsetEdit& edit) {
    edit.setIntegers(1, "pads", edit.attribute<Integers>("pads", {}));
    const bool isConstant = edit.attribute<std::string>("mode", "constant") == "constant";
    if (isConstant) edit.setNumber(2, "value", edit.attribute<float>("value", 0.0F));
    for (const char* name : {"pads", "value"}) edit.node()->removeAttribute(name);
}

void padsToAttributes(OpsetEdit& edit) {
    Node* node = edit.node();
    node->setAttribute("pads", edit.integers(1, "widths"));
    if (edit.has(2)) node->setAttribute("value", edit.floats(2, "values").front());
    edit.keepInputs(1);
}

/// Widths of all axes instead of some.
void padAllAxes(OpsetEdit& edit) {
    if (!edit.has(3)) return;
    const Integers axes = edit.integers(3, "axes"), some = edit.integers(1, "widths");
    const int64_t rank = edit.rank(0);
    Integers all(static_cast<size_t>(2 * rank), 0);
    for (size_t i = 0; i < axes.size(); ++i) {
        const int64_t axis = edit.fromFront(axes[i]);
        all[static_cast<size_t>(axis)] = some[i];
        all[static_cast<size_t>(axis + rank)] = some[i + axes.size()];
    }
    edit.setIntegers(1, "pads", all);
    edit.keepInputs(edit.has(2) ? 3 : 2);
}

void padWithoutWrapping(OpsetEdit& edit) {
    if (edit.attribute<std::string>("mode", "constant") == "wrap") edit.refuse("it wraps around");
}

void boundsToInputs(OpsetEdit& edit) {
    Node* node = edit.node();
    if (const auto least = node->attribute<float>("min")) edit.setNumber(1, "min", *least);
    if (const auto most = node->attribute<float>("max")) edit.setNumber(2, "max", *most);
    for (const char* name : {"min", "max"}) node->removeAttribute(name);
}

/// Computed bounds become comparisons.
void boundsByComparing(OpsetEdit& edit) {
    edit.replaceBy([](const LoweringContext& context) {
        Var result = context.input(0);
        if (context.hasInput(1)) result = context.emitter().op("Max", {result, context.input(1)});
        if (context.hasInput(2)) result = context.emitter().op("Min", {result, context.input(2)});
        return std::vector<Var>{result};
    });
}

void boundsToAttributes(OpsetEdit& edit) {
    const Tensor *least = edit.constant(1), *most = edit.constant(2);
    const bool isKnown = (least || !edit.has(1)) && (most || !edit.has(2));
    if (!isKnown) return boundsByComparing(edit);
    if (least) edit.node()->setAttribute("min", static_cast<float>(least->toDouble()));
    if (most) edit.node()->setAttribute("max", static_cast<float>(most->toDouble()));
    edit.keepInputs(1);
}

// Dropout, BatchNormalization: forms of training.

void maskNotRead(OpsetEdit& edit) {
    if (edit.isRead(1)) edit.refuse("the model reads its mask, which has another type there");
}

/// If nothing is dropped, ONNX Runtime's mask is zeros before version 12 and ones since.
void maskNotReadIn12(OpsetEdit& edit) {
    if (edit.isRead(1)) edit.refuse("the model reads its mask, which has another meaning there");
}

void ratioToInput(OpsetEdit& edit) {
    maskNotReadIn12(edit);
    edit.setConstant(1, "ratio", Tensor::scalar(edit.attribute<float>("ratio", 0.5F)));
    edit.node()->removeAttribute("ratio");
}

void ratioToAttribute(OpsetEdit& edit) {
    maskNotReadIn12(edit);
    if (edit.has(2)) {
        const Tensor* mode = edit.constant(2);
        if (mode == nullptr || mode->cast(DType::Int64).toInt64() != 0) {
            edit.refuse("it is in training mode");
        }
    }
    if (edit.has(1)) edit.node()->setAttribute("ratio", edit.floats(1, "ratios").front());
    edit.node()->removeAttribute("seed");
    edit.keepInputs(1);
}

void batchNormThatInfers(OpsetEdit& edit) {
    for (size_t i = 1; i < edit.node()->outputs().size(); ++i) {
        if (edit.isRead(i)) edit.refuse("the model reads statistics of its batch");
    }
    for (size_t i = edit.node()->outputs().size(); i-- > 1;) {
        edit.graph().dropOutput(edit.node(), i);
    }
}

void batchNormWithoutMode(OpsetEdit& edit) {
    if (edit.attribute<int64_t>("training_mode", 0) != 0) edit.refuse("it is in training mode");
    edit.node()->removeAttribute("training_mode");
    batchNormThatInfers(edit);
}

// Attributes that a version added.

void zeroMeansSame(OpsetEdit& edit) {
    if (edit.attribute<int64_t>("allowzero", 0) != 0) {
        const Integers shape = edit.integers(1, "sizes");
        if (std::ranges::find(shape, 0) != shape.end())
            edit.refuse("it produces an empty dimension");
    }
    edit.node()->removeAttribute("allowzero");
}

/// A part of the shape, by a Slice of all of it.
void sliceOfShape(OpsetEdit& edit) {
    const auto start = edit.attribute<int64_t>("start", 0);
    const auto end = edit.node()->attribute<int64_t>("end");
    for (const char* name : {"start", "end"}) edit.node()->removeAttribute(name);
    if (start == 0 && !end) return;
    const int64_t last = end.value_or(std::numeric_limits<int64_t>::max());
    edit.replaceBy([start, last](const LoweringContext& context) {
        return std::vector<Var>{slice(shapeOf(context.input(0)), 0, start, last)};
    });
}

void withoutSaturation(OpsetEdit& edit) { edit.node()->removeAttribute("saturate"); }

void quantizeWhole(OpsetEdit& edit) {
    edit.dropAttribute("block_size", int64_t{0});
    edit.dropAttribute("output_dtype", int64_t{0});
}

/// Before opset 13 there is only one scale.
void oneScale(OpsetEdit& edit) {
    if (edit.rank(1) != 0 && edit.size(1, 0) != 1) edit.refuse("it has a scale for each channel");
    edit.node()->removeAttribute("axis");
}

void firstOfEqual(OpsetEdit& edit) { edit.dropAttribute("select_last_index", int64_t{0}); }
void withoutBatchDims(OpsetEdit& edit) { edit.dropAttribute("batch_dims", int64_t{0}); }
void timeFirst(OpsetEdit& edit) { edit.dropAttribute("layout", int64_t{0}); }
void depthFirst(OpsetEdit& edit) { edit.dropAttribute("mode", std::string("DCR")); }

void toScatterElements(OpsetEdit& edit) {
    edit.graph().setOpType(edit.node(), "ScatterElements", "");
}
void toScatter(OpsetEdit& edit) { edit.graph().setOpType(edit.node(), "Scatter", ""); }
void withoutReduction(OpsetEdit& edit) { edit.dropAttribute("reduction", std::string("none")); }

void withoutExtremes(OpsetEdit& edit) {
    const auto reduction = edit.attribute<std::string>("reduction", "none");
    if (reduction == "max" || reduction == "min") edit.refuse("its reduction is " + reduction);
}

/// Negative positions, which count from the end, did not exist before opset 11. Those before the
/// first and behind the last stand for no place in both: `depth` is such.
void placesFromFront(OpsetEdit& edit) {
    edit.replaceBy([](const LoweringContext& context) {
        const Var places = context.input(0);
        const Var depth = cast(context.input(1), places.dtype());
        const Var zero = scalarOf(context, 0, places.dtype());
        const Var shifted = where(less(places, zero), places + depth, places);
        const Var fromFront = where(less(shifted, zero), depth, shifted);
        return std::vector<Var>{
            context.emitter().op("OneHot", {fromFront, context.input(1), context.input(2)},
                                 {{"axis", context.attribute<int64_t>("axis", -1)}})};
    });
}

/// Gemm's summand used to be required.
void addZero(OpsetEdit& edit) {
    if (!edit.has(2)) edit.setConstant(2, "zero", Tensor(edit.dtype(0), {1}));
}

/// Base and exponent of the same type.
void powOfOneType(OpsetEdit& edit) {
    if (edit.dtype(0) == edit.dtype(1)) return;
    edit.replaceBy([](const LoweringContext& context) {
        const Var base = context.input(0);
        return std::vector<Var>{pow(base, cast(context.input(1), base.dtype()))};
    });
}

/// Before, tensors and sequences had to be put into an optional.
void ofOptional(OpsetEdit& edit) {
    const Value* asked = edit.node()->input(0);
    if (asked == nullptr || !asked->type().isOptional) edit.refuse("its input is no optional");
}

}  // namespace

const std::vector<OpsetEntry>& opsetFormEntries() {
    static const std::vector<OpsetEntry> kEntries = {
        {"Slice", 10, sliceToInputs, sliceToAttributes},
        {"TopK", 10, countToInput, countToAttribute},
        {"TopK", 11, nullptr, largestOnly},
        {"Pad", 11, padsToInputs, padsToAttributes},
        {"Pad", 18, nullptr, padAllAxes},
        {"Pad", 19, nullptr, padWithoutWrapping},
        {"Clip", 11, boundsToInputs, boundsToAttributes},
        {"Dropout", 10, maskNotRead, maskNotRead},
        {"Dropout", 12, ratioToInput, ratioToAttribute},
        {"BatchNormalization", 14, batchNormThatInfers, batchNormWithoutMode},
        {"Reshape", 14, nullptr, zeroMeansSame},
        {"Shape", 15, nullptr, sliceOfShape},
        {"Cast", 19, nullptr, withoutSaturation},
        {"CastLike", 19, nullptr, withoutSaturation},
        {"QuantizeLinear", 13, nullptr, oneScale},
        {"QuantizeLinear", 19, nullptr, withoutSaturation},
        {"QuantizeLinear", 21, nullptr, quantizeWhole},
        {"DequantizeLinear", 13, nullptr, oneScale},
        {"DequantizeLinear", 21, nullptr, quantizeWhole},
        {"ArgMax", 12, nullptr, firstOfEqual},
        {"ArgMin", 12, nullptr, firstOfEqual},
        {"GatherND", 12, nullptr, withoutBatchDims},
        {"GRU", 14, nullptr, timeFirst},
        {"LSTM", 14, nullptr, timeFirst},
        {"RNN", 14, nullptr, timeFirst},
        {"DepthToSpace", 11, nullptr, depthFirst},
        {"Scatter", 11, toScatterElements, nullptr},
        {"ScatterElements", 11, nullptr, toScatter},
        {"ScatterElements", 16, nullptr, withoutReduction},
        {"ScatterElements", 18, nullptr, withoutExtremes},
        {"ScatterND", 16, nullptr, withoutReduction},
        {"ScatterND", 18, nullptr, withoutExtremes},
        {"Gemm", 11, nullptr, addZero},
        {"OneHot", 11, nullptr, placesFromFront},
        {"Pow", 12, nullptr, powOfOneType},
        {"OptionalGetElement", 18, nullptr, ofOptional},
        {"OptionalHasElement", 18, nullptr, ofOptional},
    };
    return kEntries;
}

}  // namespace temper
