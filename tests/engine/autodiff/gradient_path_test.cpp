// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/autodiff/gradient_path.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"

using namespace temper;

class GradientPathTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsAreFollowedToTheParameter_data();
    void gradientsAreFollowedToTheParameter();
};

/// Operators on the path; prefixed with "ends:" if there is none.
static QString wayOf(const QString& text) {
    const OpSet ops = standardOps();
    const auto graph =
        parseText(R"(<ir_version: 8, opset_import: ["" : 17]> )" + text.toStdString());
    inferTypes(*graph, ops.catalog);
    const GradientPath path = gradientPath(*graph, ops.catalog, graph->outputs(), graph->at("w"));
    QStringList names;
    if (path.nodes.empty()) names << QStringLiteral("ends:");
    for (const Node* node : path.nodes.empty() ? path.ends : path.nodes)
        names << QString::fromStdString(node->opType());
    return names.join(' ');
}

void GradientPathTest::gradientsAreFollowedToTheParameter_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* text, const char* expected) {
        QTest::newRow(name) << QString(text) << QString(expected);
    };
    row("a chain",
        "g (float[2] x) => (y) <float[2] w = {1, 2}> { a = Mul(x, w) b = Exp(a) y = Neg(b) }",
        "Mul Exp Neg");
    row("what comes before the parameter is no part of it",
        "g (float[2] x) => (y) <float[2] w = {1, 2}> { a = Exp(x) b = Mul(a, w) y = Neg(b) }",
        "Mul Neg");
    row("both branches",
        "g (float[2] x) => (y) <float[2] w = {1, 2}>"
        " { a = Mul(x, w) b = Exp(a) c = Abs(a) y = Add(b, c) }",
        "Mul Exp Abs Add");
    row("a shape is no way",
        "g (float[2] x) => (y) <float[2] w = {1, 2}>"
        " { a = Mul(x, w) s = Shape(a) y = Reshape(a, s) }",
        "Mul Reshape");
    row("integers end it",
        "g (float[2] x) => (y) <float[2] w = {1, 2}>"
        " { a = Mul(x, w) i = Cast<to = 7>(a) y = Cast<to = 1>(i) }",
        "ends: Cast");
    row("a branch that leads nowhere",
        "g (float[2] x) => (y) <float[2] w = {1, 2}> { a = Mul(x, w) y = Exp(x) }", "ends:");
}

void GradientPathTest::gradientsAreFollowedToTheParameter() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(wayOf(text), expected);
}

QTEST_GUILESS_MAIN(GradientPathTest)
#include "gradient_path_test.moc"
