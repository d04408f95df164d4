// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <map>

#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifacts.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// A layer with three outputs, z, from which `tail` computes y.
static std::unique_ptr<Graph> layerAnd(const QString& tail) {
    const QString words = QString(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        layer (float[batch, 2] x) => (float[batch, 3] y)
            <float[2, 3] w = {1.5, -0.5, 0.25, 2.0, 0.5, 1.0}> {
            z = MatMul(x, w)
            %1
        })")
                              .arg(tail);
    return parseText(words.toStdString());
}

/// A loss that applies an activation that the model has already applied.
class DoubleActivationTest : public QObject {
    Q_OBJECT

private slots:
    void theLossShouldReadThePreviousValue_data();
    void theLossShouldReadThePreviousValue();
    void everyOpsetAndIntermediateNodesAreSeen_data();
    void everyOpsetAndIntermediateNodesAreSeen();
    void otherLossesAreNotAMistake_data();
    void otherLossesAreNotAMistake();
};

void DoubleActivationTest::theLossShouldReadThePreviousValue_data() {
    QTest::addColumn<QString>("tail");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("message");
    const QString softmax = R"(["/head/Softmax"] y = Softmax(z))";
    const QString sigmoid = R"(["/head/Sigmoid"] y = Sigmoid(z))";
    const QString twice = "'y', is the result of Softmax";
    QTest::newRow("cross entropy") << softmax << "cross-entropy" << twice;
    QTest::newRow("focal") << softmax << "focal" << twice;
    QTest::newRow("in a formula") << softmax << "0.5*cross_entropy(y) + l2(w)" << twice;
    QTest::newRow("softmax in a formula") << softmax << "mse(softmax(y), t)" << twice;
    QTest::newRow("reshaped") << R"(["/head/Softmax"] s = Softmax(z)  y = Identity(s))"
                              << "cross-entropy"
                              << "'s', is the result of Softmax";
    QTest::newRow("binary")
        << sigmoid << "bce-with-logits"
        << "applies sigmoid itself, but what it reads, 'y', is the result of Sigmoid";
    QTest::newRow("sigmoid and classes")
        << sigmoid << "cross-entropy"
        << "applies softmax itself, but what it reads, 'y', is the result of Sigmoid";
}

void DoubleActivationTest::theLossShouldReadThePreviousValue() {
    QFETCH(QString, tail);
    QFETCH(QString, loss);
    QFETCH(QString, message);
    const auto model = layerAnd(tail);
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), spec);
    QCOMPARE(plan.findings.size(), size_t{1});
    const Finding& found = plan.findings[0];
    QCOMPARE(found.code, std::string("A013"));
    QVERIFY(found.severity == Severity::Warning);
    QVERIFY2(QString::fromStdString(found.message).contains(message), found.message.c_str());
    QVERIFY2(found.hint.starts_with("Let the loss read 'z', the input of node '/head/"),
             found.hint.c_str());
    QVERIFY(found.node.starts_with("/head/"));

    if (loss.contains('(')) return;  // a formula names what it reads
    spec.lossInputs = {"z"};
    QVERIFY(planArtifacts(*model, *allOps(), spec).findings.empty());
    generateArtifacts(*model, *allOps(), spec);
}

void DoubleActivationTest::everyOpsetAndIntermediateNodesAreSeen_data() {
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("between");
    const std::map<QString, QString> between{
        {"nothing", ""},
        {"Identity", "y = Identity(s)"},
        {"Cast", "d = Cast<to = 11>(s) y = Cast<to = 1>(d)"},
        {"Reshape", "y = Reshape(s, shape)"},
        {"Transpose", "t = Transpose(s) y = Transpose(t)"},
        {"Flatten", "y = Flatten(s)"},
        {"all of them",
         "t = Transpose(s) u = Transpose(t) r = Reshape(u, shape) i = Identity(r) "
         "d = Cast<to = 11>(i) y = Cast<to = 1>(d)"}};
    for (const int opset : {7, 8, 9, 10, 11, 12, 13, 17, 18, 21})
        for (const auto& [name, nodes] : between)
            QTest::newRow(qPrintable(QString("opset %1, %2").arg(opset).arg(name)))
                << opset << nodes;
}

void DoubleActivationTest::everyOpsetAndIntermediateNodesAreSeen() {
    QFETCH(int, opset);
    QFETCH(QString, between);
    const std::map<std::string, std::string> losses{{"Softmax", "cross-entropy"},
                                                    {"Sigmoid", "bce-with-logits"}};
    for (const auto& [activation, loss] : losses) {
        const QString made = between.isEmpty() ? "y" : "s";
        const auto model = parseText(QString(R"(
            <ir_version: 8, opset_import: ["" : %1]>
            layer (float[batch, 2] x) => (float[batch, 3] y)
                <float[2, 3] w = {1.5, -0.5, 0.25, 2.0, 0.5, 1.0}, int64[2] shape = {-1, 3}> {
                z = MatMul(x, w)
                ["/head"] %2 = %3(z)
                %4
            })")
                                         .arg(opset)
                                         .arg(made, QString::fromStdString(activation), between)
                                         .toStdString());
        ArtifactSpec spec;
        spec.loss = {loss, {}};
        const ArtifactPlan plan = planArtifacts(*model, *allOps(), spec);
        const auto found = std::ranges::find(plan.findings, "A013", &Finding::code);
        QVERIFY2(found != plan.findings.end(), activation.c_str());
        QCOMPARE(found->node, std::string("/head"));
        QVERIFY2(!hasErrors(plan.findings), activation.c_str());
        spec.lossInputs = {"z"};
        QVERIFY(planArtifacts(*model, *allOps(), spec).findings.empty());
    }
}

void DoubleActivationTest::otherLossesAreNotAMistake_data() {
    QTest::addColumn<QString>("tail");
    QTest::addColumn<QString>("loss");
    QTest::newRow("logits") << "y = Identity(z)"
                            << "cross-entropy";
    QTest::newRow("log-softmax, of which softmax is the same") << "y = LogSoftmax(z)"
                                                               << "cross-entropy";
    QTest::newRow("squares of probabilities") << "y = Softmax(z)"
                                              << "mse";
    QTest::newRow("a layer between") << "s = Softmax(z)  y = Mul(s, z)"
                                     << "cross-entropy";
    QTest::newRow("binary logits") << "y = Identity(z)"
                                   << "bce-with-logits";
}

void DoubleActivationTest::otherLossesAreNotAMistake() {
    QFETCH(QString, tail);
    QFETCH(QString, loss);
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    const ArtifactPlan plan = planArtifacts(*layerAnd(tail), *allOps(), spec);
    QVERIFY2(plan.findings.empty(), plan.findings.empty() ? "" : plan.findings[0].message.c_str());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::DoubleActivationTest)
#include "double_activation_test.moc"
