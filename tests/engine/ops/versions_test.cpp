// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>

#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

Tensor floats(const Shape& shape, std::initializer_list<float> values) {
    return Tensor::of<float>(shape, values);
}

/// What an operator computes in one version of the opset.
struct VersionCase {
    const char* name;
    OpCase opCase;
    Tensor expected;
};

const Tensor kRow = floats({4}, {1, 2, 3, 4});
const Tensor kBox = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
const float kInfinity = std::numeric_limits<float>::infinity();

// Source: ONNX, docs/Changelog.md: what changed from version to version.
const std::vector<VersionCase> kCases = {
    {"ReduceSum 11: axes are an attribute",
     {"y = ReduceSum<axes = [0], keepdims = 0>(x)", {{"x", kRow}}, 11},
     Tensor::scalar(10.0F)},
    {"ReduceMean 13: axes are an attribute still",
     {"y = ReduceMean<axes = [0]>(x)", {{"x", kRow}}, 13},
     floats({1}, {2.5F})},
    {"ReduceMean 18: axes are an input",
     {"y = ReduceMean(x, a)", {{"x", kRow}, {"a", integerTensor({0})}}, 18, {"a"}},
     floats({1}, {2.5F})},
    {"ReduceMax 18: empty axes may mean none",
     {"y = ReduceMax<noop_with_empty_axes = 1>(x, a)",
      {{"x", kRow}, {"a", integerTensor({})}},
      18,
      {"a"}},
     kRow},
    {"Split 9: sizes are an attribute",
     {"a, y = Split<axis = 0, split = [1, 3]>(x)", {{"x", kRow}}, 9},
     floats({3}, {2, 3, 4})},
    {"Split 13: sizes are an input",
     {"a, y = Split<axis = 0>(x, s)", {{"x", kRow}, {"s", integerTensor({1, 3})}}, 13, {"s"}},
     floats({3}, {2, 3, 4})},
    {"Split 18: the last part may be smaller",
     {"a, b, y = Split<axis = 0, num_outputs = 3>(x)",
      {{"x", floats({7}, {1, 2, 3, 4, 5, 6, 7})}},
      18},
     floats({1}, {7})},
    {"Pad 9: widths are attributes",
     {"y = Pad<pads = [1, 0], value = 5.0>(x)", {{"x", kRow}}, 9},
     floats({5}, {5, 1, 2, 3, 4})},
    {"Pad 11: widths are inputs",
     {"y = Pad(x, p, v)",
      {{"x", kRow}, {"p", integerTensor({0, 1})}, {"v", Tensor::scalar(5.0F)}},
      11,
      {"p"}},
     floats({5}, {1, 2, 3, 4, 5})},
    {"Pad 18: some axes only",
     {"y = Pad(x, p, \"\", a)",
      {{"x", floats({1, 2}, {1, 2})}, {"p", integerTensor({1, 0})}, {"a", integerTensor({-1})}},
      18,
      {"p", "a"}},
     floats({1, 3}, {0, 1, 2})},
    {"Pad 19: wrap",
     {"y = Pad<mode = \"wrap\">(x, p)", {{"x", kRow}, {"p", integerTensor({1, 1})}}, 19, {"p"}},
     floats({6}, {4, 1, 2, 3, 4, 1})},
    {"Clip 9: bounds are attributes",
     {"y = Clip<min = 2.0, max = 3.0>(x)", {{"x", kRow}}, 9},
     floats({4}, {2, 2, 3, 3})},
    {"Clip 11: bounds are inputs",
     {"y = Clip(x, \"\", h)", {{"x", kRow}, {"h", Tensor::scalar(3.0F)}}, 11},
     floats({4}, {1, 2, 3, 3})},
    {"Clip 12: integers",
     {"y = Clip(x, l)", {{"x", integerTensor({1, 5})}, {"l", Tensor::scalar<int64_t>(2)}}, 12},
     integerTensor({2, 5})},
    {"TopK 9: k is an attribute", {"y, i = TopK<k = 2>(x)", {{"x", kRow}}, 9}, floats({2}, {4, 3})},
    {"TopK 11: the smallest",
     {"y, i = TopK<largest = 0>(x, k)", {{"x", kRow}, {"k", integerTensor({2})}}, 11, {"k"}},
     floats({2}, {1, 2})},
    {"Slice 9: bounds are attributes",
     {"y = Slice<axes = [0], starts = [1], ends = [-1]>(x)", {{"x", kRow}}, 9},
     floats({2}, {2, 3})},
    {"Slice 10: bounds are inputs, steps",
     {"y = Slice(x, b, e, a, s)",
      {{"x", kRow},
       {"b", integerTensor({-1})},
       {"e", integerTensor({-5})},
       {"a", integerTensor({0})},
       {"s", integerTensor({-2})}},
      10,
      {"b", "e", "a", "s"}},
     floats({2}, {4, 2})},
    {"Squeeze 11: axes are an attribute",
     {"y = Squeeze<axes = [0]>(x)", {{"x", floats({1, 2}, {1, 2})}}, 11},
     floats({2}, {1, 2})},
    {"Unsqueeze 13: axes are an input",
     {"y = Unsqueeze(x, a)", {{"x", floats({2}, {1, 2})}, {"a", integerTensor({-1})}}, 13, {"a"}},
     floats({2, 1}, {1, 2})},
    {"Shape 13: all dimensions", {"y = Shape(x)", {{"x", kBox}}, 13}, integerTensor({2, 2, 2})},
    {"Shape 15: some dimensions",
     {"y = Shape<start = 1, end = -1>(x)", {{"x", floats({2, 3, 1}, {1, 2, 3, 4, 5, 6})}}, 15},
     integerTensor({3})},
    {"Reshape 13: 0 keeps a dimension",
     {"y = Reshape(x, s)", {{"x", kBox}, {"s", integerTensor({0, -1})}}, 13, {"s"}},
     kBox.reshaped({2, 4})},
    {"Reshape 14: 0 may mean 0",
     {"y = Reshape<allowzero = 1>(x, s)",
      {{"x", Tensor(DType::Float32, {0, 3})}, {"s", integerTensor({3, 0})}},
      14,
      {"s"}},
     Tensor(DType::Float32, {3, 0})},
    {"Hardmax 11: rows of what is flattened from the axis on",
     {"y = Hardmax(x)", {{"x", kBox}}, 11},
     floats({2, 2, 2}, {0, 0, 0, 1, 0, 0, 0, 1})},
    {"Hardmax 13: along the last axis",
     {"y = Hardmax(x)", {{"x", kBox}}, 13},
     floats({2, 2, 2}, {0, 1, 0, 1, 0, 1, 0, 1})},
    {"Softmax 11: rows of what is flattened from the axis on",
     {"y = Softmax(x)", {{"x", floats({1, 2, 2}, {0, 0, 0, 0})}}, 11},
     floats({1, 2, 2}, {0.25F, 0.25F, 0.25F, 0.25F})},
    {"Softmax 13: along the last axis",
     {"y = Softmax(x)", {{"x", floats({1, 2, 2}, {0, 0, 0, 0})}}, 13},
     floats({1, 2, 2}, {0.5F, 0.5F, 0.5F, 0.5F})},
    {"ArgMax 11: the first of equal ones",
     {"y = ArgMax<keepdims = 0>(x)", {{"x", floats({3}, {2, 1, 2})}}, 11},
     Tensor::scalar<int64_t>(0)},
    {"ArgMax 12: the last of equal ones, if wanted",
     {"y = ArgMax<keepdims = 0, select_last_index = 1>(x)", {{"x", floats({3}, {2, 1, 2})}}, 12},
     Tensor::scalar<int64_t>(2)},
    {"IsInf 10: one sign only",
     {"y = IsInf<detect_negative = 0>(x)", {{"x", floats({3}, {1, kInfinity, -kInfinity})}}, 10},
     Tensor::of<bool>({3}, {false, true, false})},
    {"Mod 10: sign of the divisor",
     {"y = Mod(a, b)", {{"a", integerTensor({-7, 7})}, {"b", integerTensor({3, -3})}}, 10},
     integerTensor({2, -2})},
    {"Mod 10: sign of the dividend",
     {"y = Mod<fmod = 1>(a, b)", {{"a", floats({2}, {-7, 7})}, {"b", floats({2}, {3, -3})}}, 10},
     floats({2}, {-1, 1})},
    {"Pow 12: base and exponent of different types",
     {"y = Pow(a, b)", {{"a", floats({2}, {2, 3})}, {"b", integerTensor({3, 2})}}, 12},
     floats({2}, {8, 9})},
    {"Max 12: integers",
     {"y = Max(a, b)", {{"a", integerTensor({1, 5})}, {"b", integerTensor({3})}}, 12},
     integerTensor({3, 5})},
    {"Relu 14: integers",
     {"y = Relu(x)", {{"x", integerTensor({-1, 2})}}, 14},
     integerTensor({0, 2})},
    {"Gemm 11: without C",
     {"y = Gemm(a, b)", {{"a", floats({1, 2}, {1, 2})}, {"b", floats({2, 1}, {3, 4})}}, 11},
     floats({1, 1}, {11})},
    {"Gelu 20, by tanh",
     {"y = Gelu<approximate = \"tanh\">(x)", {{"x", floats({1}, {1})}}, 20},
     floats({1}, {0.841192F})},
    {"GroupNormalization 18: a scale for each group",
     {"y = GroupNormalization<num_groups = 1, epsilon = 0.0>(x, s, b)",
      {{"x", floats({1, 2, 1}, {1, 3})}, {"s", floats({1}, {2})}, {"b", floats({1}, {1})}},
      18},
     floats({1, 2, 1}, {-1, 3})},
    {"GroupNormalization 21: a scale for each channel",
     {"y = GroupNormalization<num_groups = 1, epsilon = 0.0>(x, s, b)",
      {{"x", floats({1, 2, 1}, {1, 3})}, {"s", floats({2}, {2, 3})}, {"b", floats({2}, {1, 0})}},
      21},
     floats({1, 2, 1}, {-1, 3})},
    {"BatchNormalization 15: statistics of the batch",
     {"y, m, v = BatchNormalization<training_mode = 1, epsilon = 0.0>(x, s, b, rm, rv)",
      {{"x", floats({2, 1}, {1, 3})},
       {"s", floats({1}, {1})},
       {"b", floats({1}, {0})},
       {"rm", floats({1}, {9})},
       {"rv", floats({1}, {9})}},
      15},
     floats({2, 1}, {-1, 1})},
    {"Dropout 9: all is kept, the ratio is an attribute",
     {"y = Dropout<ratio = 0.9>(x)", {{"x", kRow}}, 9},
     kRow},
    {"LayerNormalization 17",
     {"y = LayerNormalization<epsilon = 0.0>(x, s)",
      {{"x", floats({1, 2}, {1, 3})}, {"s", floats({2}, {1, 2})}},
      17},
     floats({1, 2}, {-1, 2})},
    {"ConstantOfShape 9: zeros unless told",
     {"y = ConstantOfShape(s)", {{"s", integerTensor({2})}}, 9, {"s"}},
     Tensor(DType::Float32, {2})},
    {"CastLike 15",
     {"y = CastLike(x, l)", {{"x", floats({2}, {1.7F, -1.7F})}, {"l", integerTensor({})}}, 15},
     integerTensor({1, -1})},
};

}  // namespace

/// Operators mean what the model's opset says, not the newest one.
class VersionsTest : public QObject {
    Q_OBJECT
private slots:
    void eachVersionHasItsOwnMeaning_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < kCases.size(); ++i) {
            QTest::newRow(kCases[i].name) << static_cast<int>(i);
        }
    }
    void eachVersionHasItsOwnMeaning() {
        QFETCH(int, row);
        const VersionCase& version = kCases.at(static_cast<size_t>(row));
        const std::string problem = checkOutput(version.opCase, "y", version.expected);
        QVERIFY2(problem.empty(), problem.c_str());
    }
};

QTEST_APPLESS_MAIN(VersionsTest)
#include "versions_test.moc"
