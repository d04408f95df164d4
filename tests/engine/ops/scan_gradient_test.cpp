// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/autodiff/trainability.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

/// A recurrent net whose weights the body reads from outside.
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

/// Two states, one of them a counter, two sequences, and a value from outside that is no matrix.
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
};

QTEST_GUILESS_MAIN(ScanGradientTest)
#include "scan_gradient_test.moc"
