// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "engine/training/opset/opset_table.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;

void attributeToInput(OpsetEdit& edit, const char* name) {
    const auto values = edit.attribute<Integers>(name, {});
    if (!values.empty()) edit.setIntegers(1, name, values);
    edit.node()->removeAttribute(name);
}

void axesToInput(OpsetEdit& edit) { attributeToInput(edit, "axes"); }

/// Without axes nothing is reduced, and these operators return their inputs.
void reduceNothing(OpsetEdit& edit) {
    constexpr std::array<std::string_view, 5> kKeeping = {"ReduceSum", "ReduceMean", "ReduceMax",
                                                          "ReduceMin", "ReduceProd"};
    if (std::ranges::find(kKeeping, edit.node()->opType()) == kKeeping.end()) {
        edit.refuse("it reduces no axis");
    }
    edit.replaceByInput();
}

void axesToAttribute(OpsetEdit& edit) {
    const bool keepsAll = edit.attribute<int64_t>("noop_with_empty_axes", 0) != 0;
    edit.node()->removeAttribute("noop_with_empty_axes");
    const Integers axes = edit.has(1) ? edit.integers(1, "axes") : Integers{};
    edit.keepInputs(1);
    if (!axes.empty()) return edit.node()->setAttribute("axes", axes);
    if (keepsAll) reduceNothing(edit);
}

void splitToInput(OpsetEdit& edit) { attributeToInput(edit, "split"); }

void splitToAttribute(OpsetEdit& edit) {
    if (!edit.has(1)) return;
    const Integers sizes = edit.integers(1, "sizes");
    edit.keepInputs(1);
    edit.node()->setAttribute("split", sizes);
}

/// Since opset 18, a split without sizes needs the number of parts.
void nameNumberOfParts(OpsetEdit& edit) {
    if (edit.has(1)) return;
    edit.node()->setAttribute("num_outputs", static_cast<int64_t>(edit.node()->outputs().size()));
}

/// Earlier, parts without sizes are equal; since then the last one may be smaller.
void giveSizesOfParts(OpsetEdit& edit) {
    const auto parts = static_cast<int64_t>(edit.node()->outputs().size());
    edit.node()->removeAttribute("num_outputs");
    if (edit.has(1) || parts == 1) return;
    const auto whole = edit.size(0, edit.attribute<int64_t>("axis", 0));
    if (!whole) edit.refuse("the size of what it splits is unknown");
    if (*whole % parts == 0) return;
    const int64_t part = (*whole + parts - 1) / parts;
    Integers sizes(static_cast<size_t>(parts), part);
    sizes.back() = *whole - part * (parts - 1);
    edit.setIntegers(1, "split", sizes);
}

void axisFromFront(OpsetEdit& edit) {
    const auto axis = edit.attribute<int64_t>("axis", 0);
    if (axis < 0) edit.node()->setAttribute("axis", edit.fromFront(axis));
}

/// Unsqueeze counts the axes of its output.
void axesFromFront(OpsetEdit& edit) {
    auto axes = edit.attribute<Integers>("axes", {});
    const bool adds = edit.node()->opType() == "Unsqueeze";
    for (int64_t& axis : axes) {
        if (axis >= 0) continue;
        axis += edit.rank(0) + (adds ? static_cast<int64_t>(axes.size()) : 0);
    }
    if (axes.empty()) return;
    std::ranges::sort(axes);
    edit.node()->setAttribute("axes", axes);
}

/// Until opset 12 these operators treat all dimensions from the axis on as one row:
///
///     Softmax<axis = 1>(x[N, A, B]) = Reshape(Softmax<axis = -1>(Flatten<axis = 1>(x)), shape of
///     x)
void softmaxAlongOneAxis(OpsetEdit& edit) {
    const int64_t axis = edit.fromFront(edit.attribute<int64_t>("axis", 1));
    if (axis == edit.rank(0) - 1) return edit.node()->setAttribute("axis", int64_t{-1});
    edit.replaceBy([axis](const LoweringContext& context) {
        const Var x = context.input(0);
        GradientEmitter& emitter = context.emitter();
        const Var rows = emitter.op("Flatten", {x}, {{"axis", axis}});
        const Var result = emitter.op(context.node().opType(), {rows}, {{"axis", int64_t{-1}}});
        return std::vector<Var>{reshapeLike(result, x)};
    });
}

/// The inverse: the axis becomes the last one.
void softmaxOverRows(OpsetEdit& edit) {
    const int64_t axis = edit.fromFront(edit.attribute<int64_t>("axis", -1));
    const int64_t last = edit.rank(0) - 1;
    if (axis == last) return edit.node()->setAttribute("axis", last);
    Integers swapped(static_cast<size_t>(last + 1));
    std::iota(swapped.begin(), swapped.end(), int64_t{0});
    std::swap(swapped[static_cast<size_t>(axis)], swapped.back());
    edit.replaceBy([&](const LoweringContext& context) {
        const Var turned = transpose(context.input(0), swapped);
        const Var result =
            context.emitter().op(context.node().opType(), {turned}, {{"axis", last}});
        return std::vector<Var>{transpose(result, swapped)};
    });
}

void axisOfTransformToInput(OpsetEdit& edit) {
    edit.setConstant(2, "axis", Tensor::scalar(edit.attribute<int64_t>("axis", 1)));
    edit.node()->removeAttribute("axis");
}

void axisOfTransformToAttribute(OpsetEdit& edit) {
    const auto isSet = [&](const char* name) { return edit.attribute<int64_t>(name, 0) != 0; };
    if (isSet("inverse") && isSet("onesided"))
        edit.refuse("it makes real numbers from half a spectrum");
    const int64_t axis = edit.has(2) ? edit.integer(2, "axis") : -2;
    edit.keepInputs(edit.has(1) ? 2 : 1);
    edit.node()->setAttribute("axis", edit.fromFront(axis));
}

}  // namespace

const std::vector<OpsetEntry>& opsetAxisEntries() {
    static const std::vector<OpsetEntry> kEntries = [] {
        std::vector<OpsetEntry> entries = {
            {"Squeeze", 11, nullptr, axesFromFront},
            {"Squeeze", 13, axesToInput, axesToAttribute},
            {"Unsqueeze", 11, nullptr, axesFromFront},
            {"Unsqueeze", 13, axesToInput, axesToAttribute},
            {"ReduceSum", 11, nullptr, axesFromFront},
            {"ReduceSum", 13, axesToInput, axesToAttribute},
            {"Split", 11, nullptr, axisFromFront},
            {"Split", 13, splitToInput, splitToAttribute},
            {"Split", 18, nameNumberOfParts, giveSizesOfParts},
            {"DFT", 20, axisOfTransformToInput, axisOfTransformToAttribute},
        };
        for (const std::string_view op :
             {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
              "ReduceMin", "ReduceProd", "ReduceSumSquare"}) {
            entries.push_back({op, 11, nullptr, axesFromFront});
            entries.push_back({op, 18, axesToInput, axesToAttribute});
        }
        for (const std::string_view op :
             {"ArgMax", "ArgMin", "Compress", "Concat", "Flatten", "Gather"}) {
            entries.push_back({op, 11, nullptr, axisFromFront});
        }
        for (const std::string_view op : {"Softmax", "LogSoftmax", "Hardmax"}) {
            entries.push_back({op, 11, nullptr, axisFromFront});
            entries.push_back({op, 13, softmaxAlongOneAxis, softmaxOverRows});
        }
        return entries;
    }();
    return kEntries;
}

}  // namespace temper
