// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/ir/node_paths.h"
#include "engine/ir/node_search.h"
#include "engine/ir/shape_nodes.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ir/graph_test_support.h"
#include "tests/support/standard_catalog.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Two convolutions, a shortcut, and a reshape whose shape is computed.
std::unique_ptr<Graph> sample() {
    auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 13]>
        g (float[N, 2, 8, 8] x) => (y, z)
          <float[2, 2, 3, 3] w1 = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
           float[2, 2, 1, 1] w2 = {1, 1, 1, 1}, int64[1] rest = {-1}, int64 zero = {0},
           int64[1] axis = {0}> {
            a = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w1)
            b = Relu(a)
            c = Conv <kernel_shape = [1, 1], strides = [1, 1]> (b, w2)
            d = Add(c, x)
            s = Shape(d)
            n = Gather(s, zero)
            u = Unsqueeze(n, axis)
            t = Concat <axis = 0> (u, rest)
            y = Reshape(d, t)
            z = Softmax <axis = 1> (b)
        })");
    const char* names[] = {
        "/layer1/conv/Conv", "/layer1/act/Relu", "/layer2/conv/Conv", "/Add",     "/Shape",
        "/Gather",           "/Unsqueeze",       "/Concat",           "/Reshape", "/head/Softmax"};
    const std::vector<Node*> nodes = graph->nodes();
    for (size_t i = 0; i < nodes.size(); ++i) graph->renameNode(nodes[i], names[i]);
    return graph;
}

QString namesOf(const Graph& graph, const NodeSet& set) {
    QStringList names;
    for (const Node* node : graph.topologicalOrder())
        if (set.contains(node)) names << QString::fromStdString(node->name());
    return names.join(' ');
}

}  // namespace

class NodeSearchTest : public QObject {
    Q_OBJECT

private slots:
    void questionsAreAnswered_data() {
        QTest::addColumn<QString>("question");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* question, const char* found) {
            QTest::newRow(question) << QString(question) << QString(found);
        };
        row("op:Conv", "/layer1/conv/Conv /layer2/conv/Conv");
        row("op:conv k=3", "/layer1/conv/Conv");
        row("op:Conv name:layer2", "/layer2/conv/Conv");
        row("k=3x3", "/layer1/conv/Conv");
        row("k=3x1", "");
        row("k<2", "/layer2/conv/Conv");
        row("k>2", "/layer1/conv/Conv");
        row("kernel_shape=1", "/layer2/conv/Conv");
        row("axis=1", "/head/Softmax");
        row("tensor:w2", "/layer2/conv/Conv");
        row("softmax", "/head/Softmax");
        row("rshp", "/Reshape");
        row("name:\"/layer1/act\"", "/layer1/act/Relu");
        row("op:Conv op:Relu", "");
        row("", "");
        row("   ", "");
        row("k=", "/layer1/conv/Conv /layer2/conv/Conv");
        row("k=x", "");
    }
    void questionsAreAnswered() {
        QFETCH(QString, question);
        QFETCH(QString, found);
        const auto graph = sample();
        const std::vector<Node*> nodes = graph->topologicalOrder();
        QStringList names;
        for (const NodeHit& hit : findNodes(nodes, NodeQuery(question.toStdString())))
            names << QString::fromStdString(nodes[hit.node]->name());
        QCOMPARE(names.join(' '), found);
    }

    void betterHitsComeFirst() {
        QVERIFY(fuzzyScore("conv", "/layer1/conv/Conv") > fuzzyScore("conv", "/c/o/n/v"));
        QVERIFY(fuzzyScore("conv", "conv") > fuzzyScore("conv", "deconvolution"));
        QCOMPARE(fuzzyScore("conv", "con"), 0.0);
        QCOMPARE(fuzzyScore("", "conv"), 0.0);
    }

    void waysAreFound() {
        const auto graph = sample();
        const auto node = [&](const char* value) -> std::vector<const Node*> {
            return {graph->at(value)->producer()};
        };
        QCOMPARE(namesOf(*graph, nodesBetween(*graph, node("a"), node("d"))),
                 "/layer1/conv/Conv /layer1/act/Relu /layer2/conv/Conv /Add");
        QCOMPARE(namesOf(*graph, nodesBetween(*graph, node("d"), node("a"))), "");
        QCOMPARE(namesOf(*graph, nodesBefore(*graph, node("c"))),
                 "/layer1/conv/Conv /layer1/act/Relu /layer2/conv/Conv");
        QCOMPARE(namesOf(*graph, nodesAfter(*graph, node("t"))), "/Concat /Reshape");
    }

    void shapeComputationsAreFound() {
        const auto graph = sample();
        inferTypes(*graph, test::standardCatalog());
        const auto found = shapeNodes(*graph, test::standardCatalog());
        QCOMPARE(namesOf(*graph, {found.begin(), found.end()}),
                 "/Shape /Gather /Unsqueeze /Concat");
    }

    void weightsAndOutputsAreNotShapeComputations() {
        const auto graph = parseText(R"(
            <ir_version: 8, opset_import: ["" : 13]>
            g (float[N, 4] x) => (y, s)
              <float[3, 4] w = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}> {
                t = Transpose <perm = [1, 0]> (w)
                y = MatMul(x, t)
                s = Shape(x)
            })");
        QVERIFY(shapeNodes(*graph, test::standardCatalog()).empty());
    }
};

QTEST_GUILESS_MAIN(NodeSearchTest)
#include "node_search_test.moc"
