// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

Tensor counting(const Shape& shape, DType dtype = DType::Float32) {
    Tensor tensor(DType::Float32, shape);
    std::iota(tensor.mutableValues<float>().begin(), tensor.mutableValues<float>().end(), 1.0F);
    return tensor.cast(dtype);
}

/// A value of ONNX Runtime's kernel tests.
struct ValueCase {
    const char* name;
    OpCase opCase;
    Tensor expected;
};

// Source: ONNX Runtime, orttraining/test/training_ops/cpu.
const std::vector<ValueCase> kValues = {
    {"ReduceSumTraining of int32",
     {"y = com.microsoft.ReduceSumTraining<keepdims = 1>(x, a)",
      {{"x", counting({3, 2, 2}, DType::Int32)}, {"a", integerTensor({0, 2})}},
      12,
      {"a"}},
     Tensor::of<int32_t>({1, 2, 1}, {33, 45})},
    {"ReduceSumTraining of all axes",
     {"y = com.microsoft.ReduceSumTraining(x, a)",
      {{"x", counting({3, 4})}, {"a", integerTensor({0, 1})}},
      12,
      {"a"}},
     Tensor::of<float>({1, 1}, {78})},
    {"ReduceSumTraining, no axes: all",
     {"y = com.microsoft.ReduceSumTraining(x, a)",
      {{"x", counting({3, 2, 2})}, {"a", integerTensor({})}},
      12,
      {"a"}},
     Tensor::of<float>({1, 1, 1}, {78})},
    {"ReduceSumTraining, no axes: none",
     {"y = com.microsoft.ReduceSumTraining<noop_with_empty_axes = 1>(x, a)",
      {{"x", counting({3, 2, 2})}, {"a", integerTensor({})}},
      12,
      {"a"}},
     counting({3, 2, 2})},
    {"ReduceSumTraining, negative axis",
     {"y = com.microsoft.ReduceSumTraining<keepdims = 0>(x, a)",
      {{"x", counting({1, 2, 2})}, {"a", integerTensor({-2})}},
      12,
      {"a"}},
     Tensor::of<float>({1, 2}, {4, 6})},
    {"ReduceAllL2",
     {"y = com.microsoft.ReduceAllL2(a, b)",
      {{"a", Tensor::of<float>({3}, {1, 2, 3})}, {"b", Tensor::of<float>({2}, {-1, -2})}},
      12},
     Tensor::scalar(4.3588989F)},
    {"GatherGrad, negative indices",
     {"y = com.microsoft.GatherGrad<axis = 0>(s, i, g)",
      {{"s", integerTensor({3, 3})},
       {"i", integerTensor({0, -1, 0, -2}).reshaped({2, 2})},
       {"g", Tensor::of<float>({2, 2, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5})}},
      12,
      {"s"}},
     Tensor::of<float>({3, 3}, {0, 2, 4, 3, 4, 5, 3, 4, 5})},
    {"SliceGrad",
     {"y = com.microsoft.SliceGrad(g, s, b, e, a, t)",
      {{"g", Tensor::of<float>({1, 2}, {5, 7})},
       {"s", integerTensor({2, 4})},
       {"b", integerTensor({1, 0})},
       {"e", integerTensor({2, 3})},
       {"a", integerTensor({0, 1})},
       {"t", integerTensor({1, 2})}},
      12,
      {"s", "b", "e", "a", "t"}},
     Tensor::of<float>({2, 4}, {0, 0, 0, 0, 5, 0, 7, 0})},
    {"ConcatTraining of int32",
     {"y, n = com.microsoft.ConcatTraining<axis = -1>(a, b, c)",
      {{"a", Tensor::of<int32_t>({1, 1}, {1})},
       {"b", Tensor::of<int32_t>({1, 2}, {2, 3})},
       {"c", Tensor::of<int32_t>({1, 4}, {4, 5, 6, 7})}},
      12},
     counting({1, 7}, DType::Int32)},
};

/// An activation's backward operator and its formula of (x, alpha); dy is 1.
struct SlopeCase {
    const char* name;
    const char* nodes;
    std::vector<float> x;
    double shift = 0;  ///< bias
    std::function<double(double)> slope;
};

const std::vector<float> kWide = {-1, 0, 1, 100, -100, 1000, -1000};

double geluSlope(double x) {
    return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) +
           x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

double fastGeluSlope(double x) {
    const double alpha = std::sqrt(2 / std::numbers::pi), gamma = 0.044715;
    const double t = std::tanh(alpha * (x + gamma * x * x * x));
    return 0.5 * (1 + t + (1 - t * t) * (alpha * x + 3 * alpha * gamma * x * x * x));
}

std::function<double(double)> quickGeluSlope(double alpha) {
    return [alpha](double x) {
        const double v = alpha * x, s = 1 / (1 + std::exp(-v));
        return s * (1 + v * (1 - s));
    };
}

const std::vector<SlopeCase> kSlopes = {
    {"GeluGrad", "y = com.microsoft.GeluGrad(dy, x)", kWide, 0, geluSlope},
    {"FastGeluGrad", "y = com.microsoft.FastGeluGrad(dy, x)", kWide, 0, fastGeluSlope},
    {"BiasGeluGrad", "y = com.microsoft.BiasGeluGrad_dX(dy, x, b)", kWide, 2, geluSlope},
    {"BiasFastGeluGrad", "y = com.microsoft.BiasFastGeluGrad_dX(dy, x, b)", kWide, 2,
     fastGeluSlope},
    {"ReluGrad", "y = com.microsoft.ReluGrad(dy, x)", kWide, 0,
     [](double x) { return x > 0 ? 1.0 : 0.0; }},
    {"SigmoidGrad", "y = com.microsoft.SigmoidGrad(dy, x)", kWide, 0,
     [](double y) { return y * (1 - y); }},
    {"TanhGrad", "y = com.microsoft.TanhGrad(dy, x)", kWide, 0, [](double y) { return 1 - y * y; }},
    {"LeakyReluGrad", "y = com.microsoft.LeakyReluGrad<alpha = 0.5>(dy, x)", kWide, 0,
     [](double y) { return y > 0 ? 1.0 : 0.5; }},
    {"QuickGeluGrad",
     "y = com.microsoft.QuickGeluGrad<alpha = 1.702>(dy, x)",
     {-10, -1, 0, 1, 10},
     0,
     quickGeluSlope(1.702)},
    {"QuickGeluGrad, 1",
     "y = com.microsoft.QuickGeluGrad<alpha = 1.0>(dy, x)",
     {-10, -1, 0, 1, 10},
     0,
     quickGeluSlope(1)},
    {"QuickGeluGrad, negative",
     "y = com.microsoft.QuickGeluGrad<alpha = -1.702>(dy, x)",
     {-10, -1, 0, 1, 10},
     0,
     quickGeluSlope(-1.702)},
};

/// An operator run by its kernel as `k`, and decomposed into other operators as `b`.
struct BodyCase {
    std::string name;
    OpCase opCase;
};

std::vector<BodyCase> softmaxBodies() {
    std::vector<BodyCase> cases;
    for (const Shape& shape : {Shape{3, 2}, Shape{3, 2, 2}}) {
        for (const char* axis : {"1", "-1"}) {
            const std::string text(axis);
            cases.push_back(
                {"SoftmaxGrad_13 " + formatShape(shape) + " " + text,
                 {"k = com.microsoft.SoftmaxGrad_13<axis = " + text +
                      ">(dy, y) a = Mul(dy, y) "
                      "s = ReduceSum<keepdims = 1>(a, axes) d = Sub(dy, s) b = Mul(d, y)",
                  {{"dy", randomTensor(shape, 1, 0, 1)},
                   {"y", randomTensor(shape, 2, 0, 1)},
                   {"axes", integerTensor({std::stoi(text)})}},
                  13,
                  {"axes"}}});
        }
        cases.push_back(
            {"SoftmaxGrad " + formatShape(shape),
             {"k = com.microsoft.SoftmaxGrad(dy, y) f = Flatten<axis = 1>(dy) "
              "g = Flatten<axis = 1>(y) a = Mul(f, g) s = ReduceSum<axes = [1], keepdims = 1>(a) "
              "d = Sub(f, s) m = Mul(d, g) n = Shape(dy) b = Reshape(m, n)",
              {{"dy", randomTensor(shape, 1, 0, 1)}, {"y", randomTensor(shape, 2, 0, 1)}},
              12}});
    }
    return cases;
}

std::vector<BodyCase> activationBodies() {
    const Feeds feeds = {{"dy", randomTensor({16, 4}, 1, 0, 1)},
                         {"x", randomTensor({16, 4}, 2, 0, 1)}};
    const auto with = [&](std::initializer_list<std::pair<const char*, float>> numbers) {
        Feeds all = feeds;
        for (const auto& [name, value] : numbers) all.emplace(name, Tensor::scalar(value));
        return all;
    };
    return {
        {"SigmoidGrad",
         {"k = com.microsoft.SigmoidGrad(dy, x) r = Sub(one, x) m = Mul(x, r) b = Mul(dy, m)",
          with({{"one", 1.0F}}), 13}},
        {"TanhGrad",
         {"k = com.microsoft.TanhGrad(dy, x) q = Mul(x, x) r = Sub(one, q) b = Mul(dy, r)",
          with({{"one", 1.0F}}), 13}},
        {"GeluGrad",
         {"k = com.microsoft.GeluGrad(dy, x) h = Mul(x, root) e = Erf(h) f = Add(e, one) "
          "g = Mul(f, half) q = Mul(x, x) n = Mul(q, minus) p = Exp(n) d = Mul(p, density) "
          "t = Mul(x, d) s = Add(g, t) b = Mul(dy, s)",
          with({{"root", std::sqrt(0.5F)},
                {"one", 1.0F},
                {"half", 0.5F},
                {"minus", -0.5F},
                {"density", 0.3989422804F}}),
          13}},
        {"FastGeluGrad",
         {"k = com.microsoft.FastGeluGrad(dy, x) q = Mul(x, x) c = Mul(q, x) g = Mul(c, gamma) "
          "i = Add(x, g) j = Mul(i, alpha) t = Tanh(j) u = Mul(t, t) v = Sub(one, u) "
          "w = Mul(g, three) z = Add(x, w) zz = Mul(z, alpha) vz = Mul(v, zz) o = Add(one, t) "
          "oo = Add(o, vz) h = Mul(oo, half) b = Mul(dy, h)",
          with({{"gamma", 0.044715F},
                {"alpha", 0.7978845608F},
                {"one", 1.0F},
                {"three", 3.0F},
                {"half", 0.5F}}),
          13}},
    };
}

std::vector<BodyCase> normBodies() {
    std::vector<BodyCase> cases;
    for (const bool hasPrefix : {true, false}) {
        const Shape shape = hasPrefix ? Shape{4, 1, 8, 4} : Shape{8, 4};
        const Shape statistics = hasPrefix ? Shape{4, 1, 1, 1} : Shape{1, 1};
        const std::string axes = hasPrefix ? "[2, 3]" : "[0, 1]";
        cases.push_back(
            {"LayerNormalizationGrad " + formatShape(shape),
             {"k, ks, kb = com.microsoft.LayerNormalizationGrad<axis = -2>(dy, x, s, m, r) "
              "c = Sub(x, m) n = Mul(c, r) g0 = Mul(dy, s) g = Mul(g0, r) gn = Mul(g, n) "
              "mg = ReduceMean<axes = " +
                  axes + ">(g) mgn = ReduceMean<axes = " + axes +
                  ">(gn) t = Sub(g, mg) u = Mul(n, mgn) b = Sub(t, u)",
              {{"dy", randomTensor(shape, 1, 0, 1)},
               {"x", randomTensor(shape, 2, 0, 1)},
               {"s", randomTensor({8, 4}, 3, 0, 1)},
               {"m", randomTensor(statistics, 4, 0, 1)},
               {"r", randomTensor(statistics, 5, 0, 1)}},
              13}});
    }
    const Tensor mask =
        Tensor::of<bool>({2, 4}, {true, false, true, true, false, true, true, false});
    cases.push_back({"DropoutGrad",
                     {"k = com.microsoft.DropoutGrad(dy, m, ratio) o = Sub(one, ratio) "
                      "q = Div(dy, o) b = Where(m, q, zero)",
                      {{"dy", randomTensor({2, 4}, 1, 0, 1)},
                       {"m", mask},
                       {"ratio", Tensor::scalar(0.5F)},
                       {"one", Tensor::scalar(1.0F)},
                       {"zero", Tensor::scalar(0.0F)}},
                      13}});
    return cases;
}

/// s w[t] (exp(log p) - onehot(t)), s = dy divided by the weights' sum for the mean.
std::vector<BodyCase> lossBodies() {
    std::vector<BodyCase> cases;
    for (const size_t extra : {0U, 1U, 2U}) {
        Shape labels = {8}, scores = {8, 10};
        for (size_t i = 0; i < extra; ++i) {
            labels.push_back(4);
            scores.push_back(4);
        }
        Tensor t(DType::Int64, labels);
        for (int64_t i = 0; i < t.numElements(); ++i) t.mutableValues<int64_t>()[i] = i * 7 % 10;
        for (const char* mode : {"none", "mean", "sum"}) {
            for (const int variant : {0, 1, 2, 3}) {
                const bool hasWeights = variant % 2 == 1;
                const std::string ignored = variant >= 2 ? ", ignore_index = 100" : "";
                const bool isNone = std::string_view(mode) == "none";
                Feeds feeds = {
                    {"lp", randomTensor(scores, 1, 0, 1)},
                    {"t", t},
                    {"dy", isNone ? randomTensor(labels, 2, 0, 1) : Tensor::scalar(0.7F)},
                    {"w", hasWeights ? randomTensor({10}, 3, 0, 1)
                                     : Tensor::of<float>({10}, std::vector<float>(10, 1))},
                    {"values", Tensor::of<float>({2}, {0, 1})},
                    {"depth", Tensor::scalar<int64_t>(10)},
                    {"classes", integerTensor({1})}};
                const std::string scale =
                    std::string_view(mode) == "mean"
                        ? "n = ReduceSum<keepdims = 0>(wt) q = Div(wt, n) f = Mul(q, dy) "
                        : "f = Mul(wt, dy) ";
                cases.push_back(
                    {"SoftmaxCrossEntropyLossGrad " + formatShape(scores) + " " + mode +
                         (hasWeights ? " weights" : "") + ignored,
                     {"k = com.microsoft.SoftmaxCrossEntropyLossGrad<reduction = \"" +
                          std::string(mode) + "\"" + ignored + ">(dy, lp, t" +
                          (hasWeights ? ", w) " : ") ") +
                          "p = Exp(lp) h = OneHot<axis = 1>(t, depth, values) d = Sub(p, h) "
                          "wt = Gather(w, t) " +
                          scale + "u = Unsqueeze(f, classes) b = Mul(d, u)",
                      feeds,
                      13,
                      {"values", "depth", "classes"}}});
            }
        }
    }
    return cases;
}

std::vector<BodyCase> bodyCases() {
    std::vector<BodyCase> cases;
    for (const auto& part : {softmaxBodies(), activationBodies(), normBodies(), lossBodies()}) {
        cases.insert(cases.end(), part.begin(), part.end());
    }
    return cases;
}

}  // namespace

/// The kernels of ONNX Runtime's training operators, compared with the values of its own tests,
/// with their formulas, and with the function bodies that it would substitute for them.
class ReferenceValuesTest : public QObject {
    Q_OBJECT
private slots:
    void valuesOfTheReferenceAreReproduced_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < kValues.size(); ++i)
            QTest::newRow(kValues[i].name) << static_cast<int>(i);
    }
    void valuesOfTheReferenceAreReproduced() {
        QFETCH(int, row);
        const ValueCase& value = kValues.at(static_cast<size_t>(row));
        const std::string problem = checkOutput(value.opCase, "y", value.expected);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void aNormOfManyNumbersIsExact() {
        OpCase opCase{"y = com.microsoft.ReduceAllL2(", {}, 12};
        for (int i = 0; i < 16; ++i) {
            const std::string name = "x" + std::to_string(i);
            Tensor ones(DType::Float32, {131072});
            for (float& value : ones.mutableValues<float>()) value = 1;
            opCase.feeds.emplace(name, ones);
            opCase.nodes += (i > 0 ? ", " : "") + name;
        }
        opCase.nodes += ")";
        QCOMPARE(checkOutput(opCase, "y", Tensor::scalar(std::sqrt(2097152.0F)), {1e-7, 0}),
                 std::string());
    }

    void slopesFollowTheirFormulas_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < kSlopes.size(); ++i)
            QTest::newRow(kSlopes[i].name) << static_cast<int>(i);
    }
    void slopesFollowTheirFormulas() {
        QFETCH(int, row);
        const SlopeCase& slope = kSlopes.at(static_cast<size_t>(row));
        const auto count = static_cast<int64_t>(slope.x.size());
        const Tensor x = Tensor::of<float>({count}, std::span<const float>(slope.x));
        Tensor ones(DType::Float32, {count}), bias(DType::Float32, {count}),
            expected(DType::Float32, {count});
        for (size_t i = 0; i < slope.x.size(); ++i) {
            ones.mutableValues<float>()[i] = 1;
            bias.mutableValues<float>()[i] = static_cast<float>(slope.shift);
            expected.mutableValues<float>()[i] =
                static_cast<float>(slope.slope(static_cast<double>(slope.x[i]) + slope.shift));
        }
        Feeds feeds = {{"dy", ones}, {"x", x}};
        if (slope.shift != 0) feeds.emplace("b", bias);
        QCOMPARE(checkOutput({slope.nodes, feeds, 12}, "y", expected, {1e-5, 1e-6}), std::string());
    }

    void kernelsAgreeWithTheirBodies_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < bodies_.size(); ++i) {
            QTest::newRow(bodies_[i].name.c_str()) << static_cast<int>(i);
        }
    }
    void kernelsAgreeWithTheirBodies() {
        QFETCH(int, row);
        const Results found = runOp(bodies_.at(static_cast<size_t>(row)).opCase);
        QCOMPARE(difference(found.at("k"), found.at("b"), {1e-5, 1e-6}), std::string());
    }

private:
    const std::vector<BodyCase> bodies_ = bodyCases();
};

QTEST_APPLESS_MAIN(ReferenceValuesTest)
#include "reference_values_test.moc"
