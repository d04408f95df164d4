// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ops/reference_rows.h"

namespace temper::test {
namespace {

void addMatMul(ReferenceRows& rows) {
    const std::vector<std::pair<Shape, Shape>> pairs = {
        {{2, 2}, {2, 3}},          {{2, 3, 2}, {2, 2, 3}},       {{2, 3, 2}, {2, 3}},
        {{3, 2}, {2, 2, 3}},       {{2, 3, 3, 2}, {2, 3, 2, 3}}, {{2, 3, 3, 2}, {2, 3}},
        {{2, 3, 3, 2}, {3, 2, 3}}, {{2, 1, 3, 2}, {1, 3, 2, 3}}};
    for (const int64_t opset : {11, 13}) {
        for (const auto& [a, b] : pairs) {
            rows.push_back(
                {"MatMul " + std::to_string(opset) + ", " + formatShape(a) + " " + formatShape(b),
                 {"y = MatMul(a, b)", {{"a", normalTensor(a)}, {"b", normalTensor(b, 2)}}, opset}});
        }
    }
}

struct GemmCase {
    Shape a;
    Shape b;
    std::optional<Shape> c;
    const char* attributes = "";
};

void addGemm(ReferenceRows& rows) {
    const std::vector<GemmCase> cases = {{{1, 3}, {3, 2}, std::nullopt},
                                         {{1, 3}, {3, 2}, Shape{}},
                                         {{1, 3}, {3, 2}, Shape{2}},
                                         {{2, 4}, {4, 3}, Shape{}},
                                         {{2, 4}, {4, 3}, Shape{3}},
                                         {{2, 4}, {4, 3}, Shape{1, 3}},
                                         {{2, 4}, {4, 3}, Shape{2, 3}},
                                         {{4, 2}, {4, 3}, Shape{3}, "transA = 1"},
                                         {{2, 4}, {3, 4}, Shape{3}, "transB = 1"},
                                         {{4, 2}, {3, 4}, Shape{3}, "transA = 1, transB = 1"},
                                         {{2, 4}, {4, 3}, Shape{2, 3}, "alpha = 0.7, beta = 5.0"},
                                         {{2, 4}, {4, 3}, Shape{3}, "alpha = 0.7, beta = 5.0"}};
    for (const int64_t opset : {11, 13}) {
        for (const GemmCase& gemm : cases) {
            OpCase opCase{call("Gemm", gemm.attributes, gemm.c ? "a, b, c" : "a, b"),
                          {{"a", normalTensor(gemm.a)}, {"b", normalTensor(gemm.b, 2)}},
                          opset};
            if (gemm.c) opCase.feeds.emplace("c", normalTensor(*gemm.c, 3));
            rows.push_back({"Gemm " + std::to_string(opset) + ", " + formatShape(gemm.a) + " " +
                                formatShape(gemm.b) + " " +
                                (gemm.c ? formatShape(*gemm.c) : "without C") + " " +
                                gemm.attributes,
                            opCase});
        }
    }
}

struct ReductionCase {
    std::optional<std::vector<int64_t>> axes;
    std::optional<int64_t> keepdims;
};

const std::vector<ReductionCase> kReductions = {{std::nullopt, std::nullopt},
                                                {{{0, 1, 2}}, 0},
                                                {{{0, 2}}, 1},
                                                {{{0, 1}}, 0},
                                                {{{1}}, 1},
                                                {{{2}}, 0},
                                                {{{-2}}, 1},
                                                {{{-2, -1}}, 0}};

ReferenceRow reductionRow(const std::string& op, int64_t opset, const ReductionCase& reduction,
                          bool axesAreInput) {
    std::string attributes;
    const auto attribute = [&](const std::string& text) {
        attributes += (attributes.empty() ? "" : ", ") + text;
    };
    if (reduction.keepdims) attribute("keepdims = " + std::to_string(*reduction.keepdims));
    if (reduction.axes && !axesAreInput) attribute("axes = " + listOf(*reduction.axes));
    OpCase opCase{
        call(op, attributes, axesAreInput ? "x, a" : "x"), {{"x", normalTensor({4, 3, 2})}}, opset};
    if (axesAreInput) {
        const std::vector<int64_t> axes = reduction.axes.value_or(std::vector<int64_t>{});
        opCase.feeds.emplace("a", Tensor::of<int64_t>({static_cast<int64_t>(axes.size())},
                                                      std::span<const int64_t>(axes)));
        opCase.constants = {"a"};
    }
    const std::string axes = reduction.axes ? listOf(*reduction.axes) : "none";
    return {op + " " + std::to_string(opset) + ", axes " + axes + ", " + attributes, opCase};
}

struct ReductionVersions {
    const char* op;
    std::vector<int64_t> attribute;  ///< opsets whose axes are an attribute
    std::vector<int64_t> input;      ///< opsets whose axes are an input
};

}  // namespace

ReferenceRows productRows() {
    ReferenceRows rows;
    addMatMul(rows);
    addGemm(rows);
    return rows;
}

ReferenceRows reductionRows() {
    const std::vector<ReductionVersions> versions = {{"ReduceMean", {11, 13}, {18}},
                                                     {"ReduceSum", {11}, {13, 18}},
                                                     {"ReduceL2", {11}, {18}},
                                                     {"ReduceLogSumExp", {11}, {18}},
                                                     {"ReduceMax", {11, 12, 13}, {18, 20}}};
    ReferenceRows rows;
    for (const ReductionVersions& version : versions) {
        for (const ReductionCase& reduction : kReductions) {
            for (const int64_t opset : version.attribute) {
                rows.push_back(reductionRow(version.op, opset, reduction, false));
            }
            for (const int64_t opset : version.input) {
                rows.push_back(reductionRow(version.op, opset, reduction, true));
            }
        }
    }
    return rows;
}

}  // namespace temper::test
