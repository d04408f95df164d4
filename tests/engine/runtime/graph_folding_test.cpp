// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/graph_folding.h"

#include <QTest>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"

namespace temper::test {

/// Chains of nodes that exporters write for constants.
class GraphFoldingTest : public QObject {
    Q_OBJECT

private slots:
    void nodesThatFollowFromInitializersBecomeLiterals();
    void nodesThatFollowFromTheInputsStay_data();
    void nodesThatFollowFromTheInputsStay();

private:
    static std::unique_ptr<Graph> folded(const std::string& signature, const std::string& nodes);
};

std::unique_ptr<Graph> GraphFoldingTest::folded(const std::string& signature,
                                                const std::string& nodes) {
    static const OpSet kOps = standardOps();
    auto graph = parseText("<ir_version: 8, opset_import: [\"\": 17]> g " + signature + " { " +
                           nodes + " }");
    inferTypes(*graph, kOps.catalog);
    foldKnownValues(*graph, kOps.catalog, kOps.cpuKernels);
    return graph;
}

void GraphFoldingTest::nodesThatFollowFromInitializersBecomeLiterals() {
    const auto graph = folded("(float[N, 2, 3] x) => (float[a, b, c] y)",
                              "one = Constant<value_floats = [1.0, 1.0]>() "
                              "two = Constant<value_floats = [2.0]>() "
                              "scales = Concat<axis = 0>(one, two) "
                              "shape = Shape(scales) "
                              "y = Resize(x, \"\", scales)");
    QCOMPARE(graph->nodeCount(), size_t{1});
    const Tensor& scales = graph->at("scales")->constant();
    QCOMPARE(scales.numElements(), int64_t{3});
    QCOMPARE(scales.values<float>()[2], 2.0F);
    QVERIFY(graph->at("scales")->isLiteral());
}

void GraphFoldingTest::nodesThatFollowFromTheInputsStay_data() {
    QTest::addColumn<QString>("signature");
    QTest::addColumn<QString>("nodes");
    QTest::newRow("an input") << "(float[2] x) => (float[2] y)"
                              << "z = Neg(x) y = Neg(z)";
    QTest::newRow("an open shape") << "(float[N] x) => (int64[1] y)"
                                   << "z = Shape(x) y = Neg(z)";
    QTest::newRow("a graph output") << "() => (float[2] y)"
                                    << "c = Constant<value_floats = [1.0, 2.0]>() y = Neg(c)";
    QTest::newRow("random numbers") << "(float[2] x) => (float[2] y)"
                                    << "z = RandomNormal<shape = [2]>() y = Add(x, z)";
}

void GraphFoldingTest::nodesThatFollowFromTheInputsStay() {
    QFETCH(QString, signature);
    QFETCH(QString, nodes);
    const auto graph = folded(signature.toStdString(), nodes.toStdString());
    QVERIFY(graph->find("y")->producer() != nullptr);
    if (graph->find("z") != nullptr) QVERIFY(graph->find("z")->producer() != nullptr);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GraphFoldingTest)
#include "graph_folding_test.moc"
