// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/ir/graph.h"
#include "tests/engine/ir/graph_test_support.h"

namespace temper::test {

class GraphOrderTest : public QObject {
    Q_OBJECT

private slots:
    void producersComeBeforeReaders_data();
    void producersComeBeforeReaders();
    void cycleIsRefusedByName();
    void bodyThatReadsItsOwnNodeIsACycle();
    void longChainIsOrdered();
};

void GraphOrderTest::producersComeBeforeReaders_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("order");
    QTest::newRow("in order already") << "a = Relu(x) b = Neg(a)"
                                      << "a b";
    QTest::newRow("in reverse") << "a = Relu(b) b = Relu(c) c = Relu(x)"
                                << "c b a";
    QTest::newRow("independent nodes keep theirs") << "c = Relu(x) a = Relu(x) b = Relu(x)"
                                                   << "c a b";
    QTest::newRow("as early as defined") << "a = Relu(c) b = Relu(x) c = Relu(x) d = Relu(x)"
                                         << "b c a d";
    QTest::newRow("one value read twice") << "a = Add(b, b) b = Relu(x)"
                                          << "b a";
    QTest::newRow("two outputs") << "a = Add(b, c) b, c = Split(x)"
                                 << "b a";
    QTest::newRow("captured by a body")
        << "a = If<then_branch = t () => (u) { u = Neg(b) }, else_branch = e () => (x) {}>(x)"
           " b = Relu(x)"
        << "b a";
    QTest::newRow("captured by a body in a body")
        << "a = If<then_branch = t () => (u) {"
           " u = If<then_branch = s () => (b) {}, else_branch = r () => (x) {}>(x) },"
           " else_branch = e () => (x) {}>(x) b = Relu(x)"
        << "b a";
}

void GraphOrderTest::producersComeBeforeReaders() {
    QFETCH(QString, nodes);
    QFETCH(QString, order);
    const QString text = "g (float x) => (a) {" + nodes + "}";
    const auto graph = parseText(text.toStdString());
    QStringList names;
    for (const Node* node : graph->topologicalOrder()) {
        names << QString::fromStdString(node->output(0)->name());
    }
    QCOMPARE(names.join(' '), order);
}

void GraphOrderTest::cycleIsRefusedByName() {
    const auto graph = parseText("g (float x) => (c) { a = Relu(x) b = Add(a, x) c = Neg(b) }");
    graph->setInput(graph->at("b")->producer(), 1, graph->at("c"));
    QCOMPARE(errorOf([&] { graph->topologicalOrder(); }),
             "Graph 'g' has a cycle through the Add node of 'b'; expected an acyclic graph.");
}

void GraphOrderTest::bodyThatReadsItsOwnNodeIsACycle() {
    const QString error = errorOf([] {
        parseText(
            "g (bool c) => (a) {"
            " a = If<then_branch = t () => (u) { u = Neg(a) },"
            "        else_branch = e () => (c) {}>(c) }");
    });
    QVERIFY2(error.contains("a cycle through the If node of 'a'"), qPrintable(error));
}

void GraphOrderTest::longChainIsOrdered() {
    Graph graph;
    Value* value = graph.addInput("x", {});
    for (int i = 0; i < 50'000; ++i) {
        value = graph.addNode({"Relu", {value}, {"v" + std::to_string(i)}})->output(0);
    }
    graph.addOutput(value);
    QVERIFY(graph.topologicalOrder() == graph.nodes());
    graph.removeUnused();
    QCOMPARE(graph.nodeCount(), size_t{50'000});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GraphOrderTest)
#include "graph_order_test.moc"
