// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/trainability.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

/// A recurrent network whose weights the body reads from outside.
OpCase recurrent(const std::string& attributes, const Shape& x, int64_t opset = 17) {
    return {"hn, y = Scan<num_scan_inputs = 1" + attributes + R"(, body = step
            (h, xt) => (hnext, z) {
                p = MatMul(xt, w)
                q = MatMul(h, r)
                s = Add(p, q)
                hnext = Tanh(s)
                z = Mul(hnext, hnext)
            }>(h0, x))",
            {{"h0", randomTensor({2, 3}, 1)},
             {"x", randomTensor(x, 2)},
             {"w", randomTensor({4, 3}, 3)},
             {"r", randomTensor({3, 3}, 4)}},
            opset};
}

/// Each element of a sequence separately.
OpCase stateless() {
    return {R"(y = Scan<num_scan_inputs = 1, body = step
            (xt) => (z) {
                p = MatMul(xt, w)
                z = Tanh(p)
            }>(x))",
            {{"x", randomTensor({5, 2, 4}, 1)}, {"w", randomTensor({4, 3}, 2)}},
            17};
}

/// Two states, one of them a counter, two sequences, and an outer value that is not a matrix.
OpCase counting() {
    return {R"(n, total, y = Scan<num_scan_inputs = 2, body = step
            (i, sum, ai, bi) => (inext, sumnext, z) {
                inext = Add(i, one)
                factor = CastLike(inext, ai)
                m = Mul(ai, factor)
                k = Mul(m, scale)
                sumnext = Add(sum, k)
                z = Mul(sum, bi)
            }>(i0, s0, a, b))",
            {{"i0", Tensor::scalar<int64_t>(0)},
             {"one", Tensor::scalar<int64_t>(1)},
             {"s0", randomTensor({3}, 1)},
             {"scale", randomTensor({3}, 5)},
             {"a", randomTensor({4, 3}, 2)},
             {"b", randomTensor({4, 3}, 3)}},
            17};
}

std::vector<GradientCase> gradientCases() {
    return {
        {"a recurrent net", recurrent("", {5, 2, 4})},
        {"backwards", recurrent(", scan_input_directions = [1]", {5, 2, 4})},
        {"outputs put in front", recurrent(", scan_output_directions = [1]", {5, 2, 4})},
        {"along the last axes",
         recurrent(", scan_input_axes = [2], scan_output_axes = [-1]", {2, 4, 3})},
        {"one iteration", recurrent("", {1, 2, 4})},
        {"opset 11", recurrent("", {3, 2, 4}, 11)},
        {"a counter and two sequences", counting()},
        {"without a state", stateless()},
        {"some of the inputs", recurrent("", {4, 2, 4}), {.inputs = {"w"}}},
        {"the sequence alone", recurrent("", {4, 2, 4}), {.inputs = {"x"}}},
        {"the initial state alone", recurrent("", {4, 2, 4}), {.inputs = {"h0"}}},
    };
}

}  // namespace

class ScanGradientTest : public QObject {
    Q_OBJECT
private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(gradientCases(), row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void weightsThatABodyReadsAreParameters() {
        OpCase net = recurrent("", {5, 2, 4});
        net.constants = {"w", "r"};
        const std::unique_ptr<Graph> graph = graphOf(net, true);
        inferTypes(*graph, ops().catalog);
        for (const ParameterInfo& info : classifyParameters(*graph, ops().catalog)) {
            QCOMPARE(info.parameterClass, ParameterClass::Trainable);
        }
        const auto findings =
            analyzeTrainability(*graph, ops().catalog, ops().gradients, {graph->at("y")},
                                {graph->at("w"), graph->at("r")});
        QVERIFY2(findings.empty(), findings.empty() ? "" : findings[0].message.c_str());
    }

    void bodiesThatDoNotRepeatThemselvesAreRefused_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("message");
        QTest::newRow("dropout")
            << "p = Constant<value = float {0.5}>() on = Constant<value = bool {1}>()"
               " t, m = Dropout(k, p, on)"
            << "draws random numbers in the body of a Scan";
        QTest::newRow("noise") << "n = RandomNormalLike(k) t = Add(k, n)"
                               << "draws random numbers in the body of a Scan";
        QTest::newRow("a batch normalization")
            << "b = Sub(w, w) t = BatchNormalization(k, w, b, b, w)"
            << "has a training form, but not in the body of a Scan";
        QTest::newRow("in a branch of the body")
            << "t = If(c) <then_branch = aa () => (p) { n = RandomUniformLike(k) p = Add(k, n) },"
               "           else_branch = ab () => (q) { q = Neg(k) }>"
            << "draws random numbers in the body of a Scan";
    }

    /// The backward pass recomputes each iteration: with other random numbers, gradients would be
    /// those of another loss.
    void bodiesThatDoNotRepeatThemselvesAreRefused() {
        QFETCH(QString, nodes);
        QFETCH(QString, message);
        const OpCase net{R"(["/scan"] hn, y = Scan<num_scan_inputs = 1, body = step
            (h, xt) => (hnext, z) { k = Mul(xt, w) )" +
                             nodes.toStdString() + " hnext = Add(h, t) z = Tanh(hnext) }>(h0, x)",
                         {{"h0", randomTensor({2, 3}, 1)},
                          {"x", randomTensor({5, 2, 3}, 2)},
                          {"w", randomTensor({3}, 3)},
                          {"c", Tensor::scalar(true)}},
                         17,
                         {"w"}};
        const std::unique_ptr<Graph> graph = graphOf(net);
        inferTypes(*graph, ops().catalog);
        const auto findings = tryGradients(*graph, ops().catalog, ops().gradients, {graph->at("y")},
                                           {graph->at("w")});
        QVERIFY(!findings.empty());
        QVERIFY2(QString::fromStdString(findings[0].message).contains(message),
                 findings[0].message.c_str());
        QCOMPARE(findings[0].node, std::string("/scan"));
        QVERIFY(!findings[0].hint.empty());
    }
};

QTEST_GUILESS_MAIN(ScanGradientTest)
#include "scan_gradient_test.moc"
