// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QTest>
#include <functional>

#include "engine/onnx/graph_cycles.h"
#include "tests/engine/onnx/onnx_test_support.h"

namespace temper::test {

using Damage = std::function<void(onnx::GraphProto&)>;

/// Models that contradict themselves, read for viewing.
class GraphRepairTest : public QObject {
    Q_OBJECT

private slots:
    void contradictionsBecomeStandIns_data();
    void contradictionsBecomeStandIns();
    void whatCannotBeShownStaysRefused_data();
    void whatCannotBeShownStaysRefused();
    void modelsWithoutContradictionsAreAsTheyWere_data();
    void modelsWithoutContradictionsAreAsTheyWere();
    void longCyclesAreFound();
};

struct ViewedModel {
    std::unique_ptr<Graph> graph;
    std::vector<Finding> faults;
};

ViewedModel view(std::string_view bytes) {
    ViewedModel viewed;
    viewed.graph = parseModel(bytesOf(bytes), "m.onnx", {}, {.faults = &viewed.faults});
    return viewed;
}

/// x -> a: h -> b: g -> c: y, with a body that reads h.
onnx::ModelProto chain() {
    onnx::ModelProto model;
    const std::string bytes = serializeModel(*parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        chain (float[N] x, bool k) => (float[N] y) <float[1] w = {2}> {
            ["a"] h = Relu(x)
            ["b"] g = Mul(h, w)
            ["if"] i = If(k) <then_branch = t () => (float[N] u) { ["n"] u = Neg(h) },
                              else_branch = e () => (float[N] v) { ["m"] v = Abs(g) }>
            ["c"] y = Add(g, i)
        })"));
    if (!model.ParseFromString(bytes)) qFatal("the model can be parsed");
    return model;
}

/// The node of the name, also in bodies.
onnx::NodeProto& nodeOf(onnx::GraphProto& graph, const std::string& name) {
    for (auto& node : *graph.mutable_node()) {
        if (node.name() == name) return node;
        if (node.name() != "if") continue;
        for (auto& attribute : *node.mutable_attribute())
            if (attribute.g().node(0).name() == name)
                return *attribute.mutable_g()->mutable_node(0);
    }
    qFatal("there is no node %s", name.c_str());
}

void GraphRepairTest::contradictionsBecomeStandIns_data() {
    QTest::addColumn<Damage>("damage");
    QTest::addColumn<QStringList>("faults");  ///< "code, node, message up to the first ';'"
    QTest::addColumn<QStringList>("nodes");   ///< the stand-ins, as text
    const auto row = [](const char* name, const Damage& damage, const QStringList& faults,
                        const QStringList& nodes) {
        QTest::newRow(name) << damage << faults << nodes;
    };
    using Graph = onnx::GraphProto;
    row("nothing", [](Graph&) {}, {}, {});
    row("an undefined input", [](Graph& g) { nodeOf(g, "b").set_input(1, "z"); },
        {"M001 b Input 'z' of node 'b' (Mul) is not defined"}, {"z = temper.fault.Undefined()"});
    row("an undefined input that two nodes read",
        [](Graph& g) { nodeOf(g, "b").set_input(1, "z"), nodeOf(g, "c").set_input(1, "z"); },
        {"M001 b Input 'z' of node 'b' (Mul) is not defined"}, {"z = temper.fault.Undefined()"});
    row("an undefined output", [](Graph& g) { g.mutable_output(0)->set_name("z"); },
        {"M001  Output 'z' of graph 'chain' is not defined"}, {"z = temper.fault.Undefined()"});
    row("a node that is gone", [](Graph& g) { g.mutable_node()->DeleteSubrange(0, 1); },
        {"M001 b Input 'h' of node 'b' (Mul) is not defined"}, {"h = temper.fault.Undefined()"});
    row("an undefined input of a body", [](Graph& g) { nodeOf(g, "n").set_input(0, "z"); },
        {"M001 n Input 'z' of node 'n' (Neg) is not defined"}, {"z = temper.fault.Undefined()"});
    row("two nodes for one value", [](Graph& g) { nodeOf(g, "b").set_output(0, "h"); },
        {"M002 b 'h' is defined 2 times, by node 'a' (Relu), node 'b' (Mul)",
         "M001 c Input 'g' of node 'c' (Add) is not defined"},
        {});
    row("a node and an initializer", [](Graph& g) { addNode(g, "Neg", "x", "w").set_name("d"); },
        {"M002 d 'w' is defined 2 times, by an initializer, node 'd' (Neg)"},
        {"w = temper.fault.Ambiguous(\"w (1)\", \"w (2)\")"});
    row("a node and an input", [](Graph& g) { addNode(g, "Neg", "w", "x").set_name("d"); },
        {"M002 d 'x' is defined 2 times, by a graph input, node 'd' (Neg)"},
        {"x = temper.fault.Ambiguous(\"x (1)\", \"x (2)\")"});
    row("three nodes for an output",
        [](Graph& g) {
            addNode(g, "Neg", "x", "y").set_name("d");
            addNode(g, "Abs", "x", "y");
        },
        {"M002  'y' is defined 3 times, by node 'c' (Add), node 'd' (Neg), the Abs node of 'y'"},
        {"y = temper.fault.Ambiguous(\"y (1)\", \"y (2)\", \"y (3)\")"});
    row("nodes without names",
        [](Graph& g) {
            addNode(g, "Neg", "x", "y");
            addNode(g, "Neg", "x", "y");
        },
        {"M002  'y' is defined 3 times, by node 'c' (Add), the Neg node of 'y'"},
        {"y = temper.fault.Ambiguous(\"y (1)\", \"y (2)\", \"y (3)\")"});
    row("a node that reads its own output", [](Graph& g) { nodeOf(g, "b").set_input(1, "g"); },
        {"M003 b The graph has a cycle: node 'b' (Mul) reads 'g', which is computed from its own "
         "output"},
        {"\"g (cycle)\" = temper.fault.Cycle()"});
    row("a cycle of several nodes", [](Graph& g) { nodeOf(g, "a").set_input(0, "y"); },
        {"M003 a The graph has a cycle: node 'a' (Relu) reads 'y', which is computed from its own "
         "output"},
        {"\"y (cycle)\" = temper.fault.Cycle()"});
    row("two cycles",
        [](Graph& g) {
            nodeOf(g, "a").set_input(0, "h");
            nodeOf(g, "c").set_input(1, "y");
        },
        {"M003 a The graph has a cycle: node 'a' (Relu) reads 'h'",
         "M003 c The graph has a cycle: node 'c' (Add) reads 'y'"},
        {"\"h (cycle)\" = temper.fault.Cycle()", "\"y (cycle)\" = temper.fault.Cycle()"});
    row("names that are taken",
        [](Graph& g) {
            nodeOf(g, "b").set_input(1, "g");
            addNode(g, "Neg", "x", "g (cycle)");
        },
        {"M003 b The graph has a cycle: node 'b' (Mul) reads 'g'"},
        {"\"g (cycle) 2\" = temper.fault.Cycle()"});
}

void GraphRepairTest::contradictionsBecomeStandIns() {
    QFETCH(Damage, damage);
    QFETCH(QStringList, faults);
    QFETCH(QStringList, nodes);
    onnx::ModelProto model = chain();
    damage(*model.mutable_graph());
    const std::string bytes = model.SerializeAsString();
    QCOMPARE(errorOf([&] { parseBytes(bytes); }).isEmpty(), faults.isEmpty());

    const ViewedModel viewed = view(bytes);
    QCOMPARE(viewed.faults.size(), size_t(faults.size()));
    for (qsizetype i = 0; i < faults.size(); ++i) {
        const Finding& fault = viewed.faults[size_t(i)];
        const QString text =
            QString::fromStdString(fault.code + " " + fault.node + " " + fault.message);
        QVERIFY2(text.startsWith(faults[i]), qPrintable(text));
        QVERIFY(fault.severity == Severity::Error && !fault.hint.empty());
    }
    const QString text = textOf(*viewed.graph);
    for (const QString& node : nodes) QVERIFY2(text.contains(node), qPrintable(text));
    QCOMPARE(text.contains("temper.fault"), !faults.isEmpty());
    QCOMPARE(viewed.graph->topologicalOrder().size(), viewed.graph->nodeCount());
    // what is shown can be written and read; it then is what it shows
    QCOMPARE(textOf(*parseBytes(serializeModel(*viewed.graph))), text);
}

void GraphRepairTest::whatCannotBeShownStaysRefused_data() {
    QTest::addColumn<Damage>("damage");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const Damage& damage, const char* message) {
        QTest::newRow(name) << damage << message;
    };
    using Graph = onnx::GraphProto;
    row(
        "an input twice", [](Graph& g) { addValue(*g.add_input(), "x"); }, "'x' is defined twice");
    row(
        "a cycle through a body", [](Graph& g) { nodeOf(g, "n").set_input(0, "y"); },
        "has a cycle through");
    row(
        "too many inputs", [](Graph& g) { nodeOf(g, "a").add_input("x"); }, "Relu");
}

void GraphRepairTest::whatCannotBeShownStaysRefused() {
    QFETCH(Damage, damage);
    QFETCH(QString, message);
    onnx::ModelProto model = chain();
    damage(*model.mutable_graph());
    const QString error = errorOf([&] { view(model.SerializeAsString()); });
    QVERIFY2(error.contains(message), qPrintable(error));
}

void GraphRepairTest::modelsWithoutContradictionsAreAsTheyWere_data() {
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(TEMPER_CONFORMANCE_DIR) + "/ort-models");
    for (const QString& name : folder.entryList({"*.onnx"}))
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    QVERIFY(!folder.entryList({"*.onnx"}).isEmpty());
}

void GraphRepairTest::modelsWithoutContradictionsAreAsTheyWere() {
    QFETCH(QString, path);
    std::vector<Finding> faults;
    const auto viewed = loadModel(path.toStdString(), {.faults = &faults});
    QVERIFY(faults.empty());
    QCOMPARE(textOf(*viewed), textOf(*loadModel(path.toStdString())));
}

/// Neither recursion nor time that grows with the square of the length.
void GraphRepairTest::longCyclesAreFound() {
    constexpr int kNodes = 200'000;
    onnx::GraphProto graph;
    for (int i = 0; i < kNodes; ++i)
        addNode(graph, "Neg", std::to_string((i + 1) % kNodes), std::to_string(i));
    const auto cycles = findCycles(graph);
    QCOMPARE(cycles.size(), size_t{1});
    QCOMPARE(cycles[0].size(), size_t{kNodes});
    const auto edges = edgesBack(graph, cycles[0]);
    QCOMPARE(edges.size(), size_t{kNodes - 1});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GraphRepairTest)
#include "graph_repair_test.moc"
