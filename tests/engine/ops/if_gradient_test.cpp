// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/autodiff/trainability.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

Tensor truth(bool value) { return Tensor::scalar<bool>(value); }

/// Each branch has its own weights, and both read x and w.
OpCase layers(bool condition, int64_t opset = 17) {
    return {R"(y = If<then_branch = a () => (t) { p = MatMul(x, w) q = Add(p, b) t = Tanh(q) },
                  else_branch = e () => (u) { r = Mul(x, s) v = MatMul(r, w) u = Exp(v) }>(c))",
            {{"c", truth(condition)},
             {"x", randomTensor({4, 3}, 1)},
             {"w", randomTensor({3, 2}, 2)},
             {"b", randomTensor({2}, 3)},
             {"s", randomTensor({3}, 4)}},
            opset};
}

/// The graph around the If reads the same values, and the condition depends on data.
OpCase decidedByData(double offset) {
    return {R"(m = ReduceMean<keepdims = 0>(x) k = Add(m, o) c = Greater(k, zero)
               h = MatMul(x, w)
               g = If<then_branch = a () => (t) { p = Mul(h, h) t = Add(p, x) },
                  else_branch = e () => (u) { u = Sin(h) }>(c)
               y = Mul(g, h))",
            {{"x", randomTensor({3, 3}, 1)},
             {"w", randomTensor({3, 3}, 2)},
             {"o", Tensor::scalar(static_cast<float>(offset))},
             {"zero", Tensor::scalar(0.0F)}},
            17};
}

OpCase nested(bool outer, bool inner) {
    return {R"(y, z = If<
                then_branch = a () => (t, t2) {
                    h = Mul(x, w)
                    t = If<then_branch = aa () => (p) { p = Mul(h, v) },
                           else_branch = ae () => (q) { k = Exp(x) q = Mul(k, h) }>(d)
                    t2 = Sin(h)
                },
                else_branch = e () => (u, u2) { u = Neg(x) u2 = Mul(u, v) }>(c))",
            {{"c", truth(outer)},
             {"d", truth(inner)},
             {"x", randomTensor({2, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"v", randomTensor({3}, 3)}},
            17};
}

/// The branches give tensors of different shapes.
OpCase differentShapes(bool condition) {
    return {R"(g = If<then_branch = a () => (t) { t = ReduceMean<axes = [0]>(x) },
                  else_branch = e () => (u) { u = Mul(x, w) }>(c)
               y = Mul(g, v))",
            {{"c", truth(condition)},
             {"x", randomTensor({4, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"v", randomTensor({3}, 3)}},
            17};
}

/// One branch passes a value through, the other depends on no parameter.
OpCase passing(bool condition) {
    return {R"(h = Mul(x, w)
               g = If<then_branch = a () => (h) {},
                  else_branch = e () => (u) { s = Shape(h) k = ConstantOfShape(s) u = CastLike(k, h) }>(c)
               y = Sin(g))",
            {{"c", truth(condition)}, {"x", randomTensor({2, 3}, 1)}, {"w", randomTensor({3}, 2)}},
            17};
}

/// Operators that need other forms for the backward pass, and a Scan.
OpCase trainingForms(bool condition) {
    return {R"(y = If<
                then_branch = a () => (t) {
                    t, i = TopK(x, k)
                },
                else_branch = e () => (u) {
                    hn, h = Scan<num_scan_inputs = 1, body = step (state, xt) => (next, z) {
                        p = Mul(xt, w) next = Add(state, p) z = Tanh(next)
                    }>(h0, x)
                    u = Slice(h, zero, k, one)
                }>(c))",
            {{"c", truth(condition)},
             {"x", randomTensor({2, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"h0", randomTensor({3}, 3)},
             {"k", Tensor::of<int64_t>({1}, {2})},
             {"zero", Tensor::of<int64_t>({1}, {0})},
             {"one", Tensor::of<int64_t>({1}, {1})}},
            17};
}

std::vector<GradientCase> gradientCases() {
    return {
        {"taken", layers(true)},
        {"not taken", layers(false)},
        {"opset 11", layers(false, 11)},
        {"some of the inputs", layers(true), {.inputs = {"w", "s"}}},
        {"decided by data, taken", decidedByData(10), {.inputs = {"x", "w"}}},
        {"decided by data, not taken", decidedByData(-10), {.inputs = {"x", "w"}}},
        {"nested, taken, taken", nested(true, true)},
        {"nested, taken, not taken", nested(true, false)},
        {"nested, not taken", nested(false, true)},
        {"different shapes, taken", differentShapes(true)},
        {"different shapes, not taken", differentShapes(false)},
        {"a value that is handed on", passing(true)},
        {"a branch without gradient", passing(false)},
        {"a form for training", trainingForms(true)},
        {"a Scan in a branch", trainingForms(false)},
    };
}

}  // namespace

class IfGradientTest : public QObject {
    Q_OBJECT
private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(gradientCases(), row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void weightsThatABranchReadsAreParameters() {
        OpCase net = layers(true);
        net.constants = {"w", "b", "s"};
        const std::unique_ptr<Graph> graph = graphOf(net, true);
        inferTypes(*graph, ops().catalog);
        const auto findings =
            analyzeTrainability(*graph, ops().catalog, ops().gradients, {graph->at("y")},
                                {graph->at("w"), graph->at("b"), graph->at("s")});
        QVERIFY2(findings.empty(), findings.empty() ? "" : findings[0].message.c_str());
    }
};

QTEST_GUILESS_MAIN(IfGradientTest)
#include "if_gradient_test.moc"
