// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ops/reference_rows.h"

namespace temper::test {
namespace {

Tensor integers(const std::vector<int64_t>& numbers) {
    return Tensor::of<int64_t>({static_cast<int64_t>(numbers.size())},
                               std::span<const int64_t>(numbers));
}

std::string versionOf(int64_t opset) { return " " + std::to_string(opset); }

void addReorderings(ReferenceRows& rows) {
    for (int64_t axis = -3; axis <= 3; ++axis) {
        const std::string attribute = "axis = " + std::to_string(axis);
        rows.push_back({"Flatten, " + attribute,
                        {call("Flatten", attribute, "x"), {{"x", normalTensor({2, 3, 2})}}, 11}});
    }
    for (const char* perm : {"", "perm = [0, 1, 2]", "perm = [0, 2, 1]", "perm = [1, 0, 2]",
                             "perm = [1, 2, 0]", "perm = [2, 0, 1]", "perm = [2, 1, 0]"}) {
        rows.push_back({"Transpose, " + std::string(perm),
                        {call("Transpose", perm, "x"), {{"x", normalTensor({2, 3, 4})}}, 9}});
    }
}

/// Axes are an attribute before opset 13 and an input since then.
ReferenceRow withAxes(const char* op, const Shape& shape, const std::vector<int64_t>& axes,
                      int64_t opset) {
    const bool isInput = opset >= 13 && !axes.empty();
    const std::string attribute = isInput || axes.empty() ? "" : "axes = " + listOf(axes);
    OpCase opCase{call(op, attribute, isInput ? "x, a" : "x"), {{"x", normalTensor(shape)}}, opset};
    if (isInput) opCase.feeds.emplace("a", integers(axes));
    if (isInput) opCase.constants = {"a"};
    return {op + versionOf(opset) + ", " + formatShape(shape) + " " + listOf(axes), opCase};
}

void addSqueezes(ReferenceRows& rows) {
    const std::vector<std::pair<Shape, std::vector<int64_t>>> squeezed = {
        {{1, 2, 3, 1}, {0, 3}},
        {{1, 1, 2, 3, 2}, {0, 1}},
        {{1, 2, 1, 3, 1}, {0, 2, 4}},
        {{1, 2, 1, 3, 1}, {2}}};
    for (const int64_t opset : {9, 13}) {
        for (const auto& [shape, axes] : squeezed) {
            rows.push_back(withAxes("Squeeze", shape, axes, opset));
            rows.push_back(withAxes("Squeeze", shape, {}, opset));
        }
        for (const std::vector<int64_t>& axes : {std::vector<int64_t>{0, 3}, {0, 1}, {0, 2, 4}}) {
            rows.push_back(withAxes("Unsqueeze", {2, 3}, axes, opset));
        }
    }
}

void addRepetitions(ReferenceRows& rows) {
    const std::vector<std::pair<Shape, std::vector<int64_t>>> targets = {
        {{2, 2, 1}, {2, 2, 3}}, {{2, 2, 1}, {1, 1, 3}}, {{2, 2, 1}, {3}},
        {{2, 2, 1}, {1, 1}},    {{2, 3}, {3, 2, 2, 3}}, {{1, 2, 3}, {3, 2, 1, 1}}};
    for (const int64_t opset : {11, 13}) {
        for (const auto& [shape, target] : targets) {
            rows.push_back(
                {"Expand" + versionOf(opset) + ", " + formatShape(shape) + " " + listOf(target),
                 {"y = Expand(x, s)",
                  {{"x", normalTensor(shape)}, {"s", integers(target)}},
                  opset,
                  {"s"}}});
        }
    }
    const std::vector<std::pair<Shape, std::vector<int64_t>>> repeats = {
        {{2, 3}, {2, 2}}, {{2}, {2}}, {{2, 2, 3}, {2, 3, 2}}, {{2, 2, 3}, {1, 1, 1}}};
    for (const auto& [shape, times] : repeats) {
        rows.push_back(
            {"Tile, " + formatShape(shape) + " " + listOf(times),
             {"y = Tile(x, r)", {{"x", normalTensor(shape)}, {"r", integers(times)}}, 11, {"r"}}});
    }
}

void addSplits(ReferenceRows& rows) {
    const Feed x = normalTensor({9, 5});
    rows.push_back({"Split 9", {"a, b, c = Split<axis = 0>(x)", {{"x", x}}, 9}});
    rows.push_back({"Split 13", {"a, b, c = Split<axis = 0>(x)", {{"x", x}}, 13}});
    rows.push_back({"Split 18", {"a, b, c = Split<axis = 0, num_outputs = 3>(x)", {{"x", x}}, 18}});
}

void addConcats(ReferenceRows& rows) {
    const std::vector<std::pair<std::vector<Shape>, int64_t>> lists = {
        {{{2}, {2}, {2}}, 0},
        {{{2, 2}, {2, 2}, {2, 2}}, 1},
        {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, 2},
        {{{2, 2}, {2, 4}}, 1},
        {{{2, 2}, {2, 4}}, -1}};
    for (const auto& [shapes, axis] : lists) {
        OpCase opCase;
        std::string inputs;
        for (size_t i = 0; i < shapes.size(); ++i) {
            const std::string name(1, static_cast<char>('a' + i));
            inputs += (i > 0 ? ", " : "") + name;
            opCase.feeds.emplace(name, normalTensor(shapes[i], i + 1));
        }
        const std::string attribute = "axis = " + std::to_string(axis);
        const std::string name = formatShape(shapes.back()) + " " + attribute;
        for (const int64_t opset : {9, 13}) {
            opCase.nodes = call("Concat", attribute, inputs);
            opCase.opset = opset;
            rows.push_back({"Concat" + versionOf(opset) + ", " + name, opCase});
        }
        opCase.nodes = "y, n = com.microsoft.ConcatTraining<" + attribute + ">(" + inputs + ")";
        rows.push_back({"ConcatTraining, " + name, opCase});
    }
}

void addSlices(ReferenceRows& rows) {
    const Feeds bounds = {{"b", integers({1, 0})}, {"e", integers({2, 3})}};
    const auto add = [&](const char* inputs, const Shape& shape, Feeds feeds,
                         std::vector<std::string> constants) {
        feeds.emplace("x", normalTensor(shape));
        rows.push_back({"Slice, " + formatShape(shape) + " " + inputs,
                        {call("Slice", "", inputs), std::move(feeds), 10, std::move(constants)}});
    };
    add("x, b, e", {2, 4}, bounds, {"b", "e"});
    Feeds stepped = bounds;
    stepped.emplace("a", integers({0, 1}));
    stepped.emplace("s", integers({1, 2}));
    add("x, b, e, a, s", {2, 4}, stepped, {"b", "e", "a", "s"});
    add("x, b, e, a, s", {2, 4, 2}, stepped, {"b", "e", "a", "s"});
}

void addTrilu(ReferenceRows& rows) {
    for (const char* upper : {"", "upper = 1", "upper = 0"}) {
        rows.push_back(
            {"Trilu, " + std::string(upper),
             {call("com.microsoft.Trilu", upper, "x"), {{"x", normalTensor({3, 4})}}, 9}});
        for (int64_t k = -3; k <= 3; ++k) {
            rows.push_back({"Trilu, " + std::string(upper) + " k = " + std::to_string(k),
                            {call("com.microsoft.Trilu", upper, "x, k"),
                             {{"x", normalTensor({3, 4})}, {"k", integers({k})}},
                             9,
                             {"k"}}});
        }
    }
}

}  // namespace

ReferenceRows movementRows() {
    ReferenceRows rows;
    addReorderings(rows);
    addSqueezes(rows);
    addRepetitions(rows);
    addSplits(rows);
    addConcats(rows);
    addSlices(rows);
    addTrilu(rows);
    return rows;
}

}  // namespace temper::test
