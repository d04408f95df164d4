// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/trainability.h"

#include <QTest>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

/// "G001 error Op [p, q]", one finding a line.
static QString summaryOf(const std::vector<Finding>& findings) {
    QStringList lines;
    for (const Finding& finding : findings) {
        QStringList parameters;
        for (const std::string& name : finding.parameters) {
            parameters << QString::fromStdString(name);
        }
        lines << QString::fromStdString(finding.code) + " " +
                     QString::fromUtf8(severityName(finding.severity).data()) + " " +
                     QString::fromStdString(finding.op.empty() ? "-" : finding.op) + " [" +
                     parameters.join(", ") + "]";
    }
    return lines.join('\n');
}

/// Findings with all initializers as parameters and all outputs read by the loss.
static std::vector<Finding> analyze(const QString& text) {
    const auto graph = parseText(text.toStdString());
    inferTypes(*graph, ops().catalog);
    return analyzeTrainability(*graph, ops().catalog, ops().gradients, graph->outputs(),
                               graph->initializers());
}

class TrainabilityTest : public QObject {
    Q_OBJECT

private slots:
    void findingsNameWhatStopsGradients_data();
    void findingsNameWhatStopsGradients();
    void everyFindingHasASentenceAndARemedy();
    void parametersAreClassifiedByTheirUse();
};

void TrainabilityTest::findingsNameWhatStopsGradients_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("all is well") << "g (float[2] x) => (y) <float[2] w = {1, 2}> { y = Mul(x, w) }"
                                 << "";
    QTest::newRow("G001: no rule for the operator")
        << "<ir_version: 8, opset_import: [\"\" : 17, \"my.own\" : 1]>"
           " g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[2] v = {1, 2}>"
           " { a = Mul(x, w) b = my.own.Mystery(a) y = Mul(b, v) }"
        << "G001 error my.own.Mystery [w]";
    QTest::newRow("G002: the derivative is zero and nothing else leads there")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}> { a = Mul(x, w) y = Sign(a) }"
        << "G002 error Sign [w]";
    QTest::newRow("G002: another path is open") << "g (float[2] x) => (y) <float[2] w = {1, 2}>"
                                                   " { a = Mul(x, w) s = Sign(a) y = Mul(a, s) }"
                                                << "G002 warning Sign [w]";
    QTest::newRow("G002: only the parameters that nothing else reaches are cut off")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}, float[2] v = {1, 2}>"
           " { a = Mul(x, w) b = Mul(a, v) s = Sign(b) y = Mul(a, s) }"
        << "G002 error Sign [v]";
    QTest::newRow("G006: a cast to integers")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}, float[2] v = {1, 2}>"
           " { a = Mul(x, w) i = Cast<to = 7>(a) f = Cast<to = 1>(i) y = Mul(f, v) }"
        << "G006 error Cast [w]";
    QTest::newRow("G006: only the shape is used")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}, float[2] v = {1, 2}>"
           " { a = Mul(x, w) s = Shape(a) y = Reshape(v, s) }"
        << "G006 error Shape [w]";
    QTest::newRow("a shape beside an open path is no problem")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}>"
           " { a = Mul(x, w) s = Shape(a) y = Reshape(a, s) }"
        << "";
    QTest::newRow("a rounding and a cast behind it are two problems")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}, float[2] v = {1, 2}>"
           " { a = Mul(x, w) r = Round(a) i = Cast<to = 7>(r) f = Cast<to = 1>(i) y = Mul(f, v) }"
        << "G002 error Round [w]\nG006 error Cast [w]";
    QTest::newRow("G003: no influence")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}, float[2] v = {1, 2}>"
           " { y = Mul(x, w) u = Mul(x, v) }"
        << "G003 error Mul [v]";
    QTest::newRow("G004: this form has no gradient")
        << "<ir_version: 8, opset_import: [\"\" : 13]>"
           " g (float[2] x, float s, float t) => (y) <float[2] w = {1, 2}>"
           " { a = Mul(x, w) q = QuantizeLinear(a, s) y = DequantizeLinear(q, t) }"
        << "G004 error DequantizeLinear [w]";
    QTest::newRow("G005: no floating-point tensor")
        << "g (float[2] x) => (y) <float[2] w = {1, 2}, int64[1] s = {2}>"
           " { a = Mul(x, w) y = Reshape(a, s) }"
        << "G005 error Reshape [s]";
    QTest::newRow("several at once")
        << "<ir_version: 8, opset_import: [\"\" : 17, \"my.own\" : 1]>"
           " g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[2] v = {1, 2}>"
           " { a = Mul(x, w) b = my.own.Mystery(a) c = Round(b) y = Add(x, c) }"
        << "G001 error my.own.Mystery [w]\nG002 error Round [w]\nG003 error - [v]";
}

void TrainabilityTest::findingsNameWhatStopsGradients() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(summaryOf(analyze(text)), expected);
}

void TrainabilityTest::everyFindingHasASentenceAndARemedy() {
    for (const Finding& finding :
         analyze("<ir_version: 8, opset_import: [\"\" : 17, \"my.own\" : 1]>"
                 " g (float[2] x) => (float[2] y)"
                 " <float[2] w = {1, 2}, float[2] v = {1, 2}, int64[1] s = {2}>"
                 " { a = Mul(x, w) b = my.own.Mystery(a) c = Round(b) d = Reshape(c, s)"
                 " y = Add(x, d) }")) {
        QVERIFY2(QString::fromStdString(finding.message).endsWith('.'), finding.message.c_str());
        QVERIFY2(!finding.hint.empty(), finding.message.c_str());
    }
}

void TrainabilityTest::parametersAreClassifiedByTheirUse() {
    const auto graph = parseText(R"(
        g (float[N, 2, 4] x) => (y) <
            float[2] scale = {1, 1}, float[2] bias = {0, 0},
            float[2] mean = {0, 0}, float[2] variance = {1, 1},
            int64[2] shape = {0, -1}, float unused = {3}
        > {
            b = BatchNormalization(x, scale, bias, mean, variance)
            half = Constant<value = float {0.5}>()
            h = Mul(b, half)
            y = Reshape(h, shape)
        })");
    inferTypes(*graph, ops().catalog);
    QStringList classes;
    for (const ParameterInfo& info : classifyParameters(*graph, ops().catalog)) {
        classes << QString::fromStdString(info.name) + ": " +
                       QString::fromUtf8(parameterClassName(info.parameterClass).data());
        QVERIFY(!info.reason.empty());
    }
    QCOMPARE(classes.join('\n'),
             QString("scale: trainable\nbias: trainable\nmean: batch-norm statistic\n"
                     "variance: batch-norm statistic\nshape: shape data\nunused: constant\n"
                     "half: constant"));
}

QTEST_APPLESS_MAIN(TrainabilityTest)
#include "trainability_test.moc"
