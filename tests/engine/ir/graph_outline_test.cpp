// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <filesystem>

#include "engine/ir/graph_outline.h"
#include "engine/ir/outline_builder.h"
#include "engine/onnx/model_file.h"
#include "tests/engine/ir/graph_test_support.h"
#include "tests/support/standard_catalog.h"

using namespace temper;
using namespace temper::test;

namespace {

/// "conv1(Conv Relu)" for groups, operators for nodes.
std::string printed(const GraphOutline& outline, int group) {
    std::string text;
    for (const OutlineItem& item : outline.group(group).items) {
        if (!text.empty()) text += " ";
        if (item.group < 0) {
            text += outline.nodes()[static_cast<size_t>(item.node)]->opType();
            continue;
        }
        const OutlineGroup& child = outline.group(item.group);
        text += child.name + (child.repeats > 1 ? "*" + std::to_string(child.repeats) : "") + "(" +
                printed(outline, item.group) + ")";
    }
    return text;
}

/// A chain of nodes "name:op", each reading the one before.
std::unique_ptr<Graph> chain(const std::vector<std::pair<std::string, std::string>>& nodes) {
    auto graph = std::make_unique<Graph>();
    graph->info().opsetImports[""] = 15;
    Value* value = graph->addInput("x", {DType::Float32, SymbolicShape{Dim::of(4)}, false});
    int number = 0;
    for (const auto& [name, op] : nodes) {
        const std::string output = "v" + std::to_string(number++);
        graph->addNode({.opType = op, .inputs = {value}, .outputs = {output}, .name = name});
        value = graph->at(output);
    }
    graph->addOutput(value);
    return graph;
}

std::unique_ptr<Graph> layers(int count, const std::vector<std::string>& ops, bool scoped) {
    std::vector<std::pair<std::string, std::string>> nodes;
    for (int layer = 0; layer < count; ++layer)
        for (const std::string& op : ops)
            nodes.emplace_back(scoped ? "/layer" + std::to_string(layer) + "/" + op
                                      : op + "_" + std::to_string(nodes.size()),
                               op);
    return chain(nodes);
}

}  // namespace

class GraphOutlineTest : public QObject {
    Q_OBJECT

private slots:
    void scopesAreReadFromNames_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("scope");
        const auto row = [](const char* name, const char* scope) {
            QTest::newRow(name) << QString(name) << QString(scope);
        };
        row("/layer1/conv1/Conv", "layer1 conv1");
        row("/encoder/encoder.0/Conv", "encoder 0");
        row("/layers.0/norm1/ReduceMean", "layers.0 norm1");
        row("encoder.0.attention.MatMul", "encoder.0 attention");
        row("model/dense/MatMul", "model dense");
        row("Conv_12", "");
        row("Conv.12", "");
        row("/Relu", "");
    }
    void scopesAreReadFromNames() {
        QFETCH(QString, name);
        QFETCH(QString, scope);
        const auto graph = chain({{name.toStdString(), "Relu"}});
        QStringList parts;
        for (const ModuleScope& part : modulesAround(*graph->nodes().front()))
            parts << QString::fromStdString(part.name);
        QCOMPARE(parts.join(' '), scope);
    }

    void groupsFollowTheNames() {
        const auto graph = chain({{"/stem/Conv", "Abs"},
                                  {"/a/x/One", "Neg"},
                                  {"/a/x/Two", "Abs"},
                                  {"/a/Three", "Neg"},
                                  {"/Tail", "Abs"}});
        // A scope with one node is that node.
        QCOMPARE(printed(GraphOutline(*graph), 0), "Abs a(x(Neg Abs) Neg) Abs");
    }

    void aScopeAroundEverythingIsLeftOut() {
        const auto graph =
            chain({{"/model/a/One", "Abs"}, {"/model/a/Two", "Neg"}, {"/model/Three", "Abs"}});
        QCOMPARE(printed(GraphOutline(*graph), 0), "a(Abs Neg) Abs");
    }

    void equalNeighboursAreFolded() {
        auto graph = layers(4, {"Abs", "Neg"}, true);
        Value* output = graph->outputs().front();
        graph->addNode({.opType = "Exp", .inputs = {output}, .outputs = {"y"}, .name = "/Exp"});
        graph->setOutputs({graph->at("y")});
        const GraphOutline outline(*graph);
        QCOMPARE(printed(outline, 0),
                 "layer0 … layer3*4(layer0(Abs Neg) layer1(Abs Neg) layer2(Abs Neg)"
                 " layer3(Abs Neg)) Exp");
        QCOMPARE(outline.group(2).alike, 4);
    }

    void equalPartsOfAFlatModelAreFound() {
        auto graph = layers(5, {"Abs", "Neg", "Exp"}, false);
        const GraphOutline outline(*graph);
        QCOMPARE(outline.group(0).items.size(), size_t{5});
        QCOMPARE(outline.group(0).repeats, 5);
        for (const OutlineItem& item : outline.group(0).items)
            QCOMPARE(printed(outline, item.group), "Abs Neg Exp");
    }

    void differentStructureIsNotAlike() {
        // The same operators, wired differently.
        const auto graph = parseText(R"(
            <ir_version: 8, opset_import: ["" : 17]>
            g (float[4] x) => (y) {
                a = Abs(x)
                b = Add(a, x)
                c = Abs(b)
                y = Add(c, c)
            })");
        const char* names[] = {"/p/Abs", "/p/Add", "/q/Abs", "/q/Add"};
        const std::vector<Node*> nodes = graph->nodes();
        for (size_t i = 0; i < nodes.size(); ++i) graph->renameNode(nodes[i], names[i]);
        const GraphOutline outline(*graph);
        QCOMPARE(printed(outline, 0), "p(Abs Add) q(Abs Add)");
        QCOMPARE(outline.group(1).alike, 1);
        QVERIFY(outline.group(1).structure != outline.group(2).structure);
    }

    void tandemRepeatsAreTheLongest() {
        const auto found = tandemRepeats({9, 1, 2, 1, 2, 1, 2, 3, 5, 5, 5, 5});
        QCOMPARE(found.size(), size_t{2});
        QCOMPARE(found[0].first, size_t{1});
        QCOMPARE(found[0].period, size_t{2});
        QCOMPARE(found[0].count, size_t{3});
        QCOMPARE(found[1].period, size_t{1});
        QCOMPARE(found[1].count, size_t{4});
        QVERIFY(tandemRepeats({1, 2, 1, 2}).empty());
    }

    void longLevelsAreCutIntoSections() {
        // Operators that never repeat three times in a row.
        std::vector<std::pair<std::string, std::string>> nodes;
        uint64_t state = 1;
        for (int i = 0; i < 3000; ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            static const char* ops[] = {"Abs", "Neg", "Exp", "Log", "Sin", "Cos", "Tan"};
            nodes.emplace_back("n" + std::to_string(i), ops[(state >> 33) % 7]);
        }
        const auto graph = chain(nodes);
        const GraphOutline outline(*graph);
        for (const OutlineGroup& group : outline.groups()) QVERIFY(group.items.size() <= 250);
        QCOMPARE(outline.group(0).nodeCount, 3000);
    }

    void everyNodeIsInOneGroup_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"resnet", "transformer", "gru", "unet", "mobilenet"})
            QTest::newRow(model) << QString(model);
    }
    void everyNodeIsInOneGroup() {
        QFETCH(QString, model);
        const std::filesystem::path path = std::filesystem::path(TEMPER_CONFORMANCE_DIR) / "torch" /
                                           model.toStdString() / "model.onnx";
        const auto graph = loadModel(path);
        const auto blocks = recognizeBlocks(*graph, test::standardCatalog());
        const GraphOutline outline(*graph, blocks);
        std::vector<int> seen(outline.nodes().size(), 0);
        for (size_t g = 0; g < outline.groups().size(); ++g) {
            const OutlineGroup& group = outline.groups()[g];
            QVERIFY(g == 0 || group.parent < static_cast<int>(g));
            int count = 0;
            for (const OutlineItem& item : group.items) {
                if (item.group >= 0) {
                    QCOMPARE(outline.group(item.group).parent, static_cast<int>(g));
                    count += outline.group(item.group).nodeCount;
                } else {
                    ++seen[static_cast<size_t>(item.node)];
                    ++count;
                }
            }
            QCOMPARE(group.nodeCount, count);
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    }

    void blocksOfATransformerAreGroups() {
        const std::filesystem::path path =
            std::filesystem::path(TEMPER_CONFORMANCE_DIR) / "torch/transformer/model.onnx";
        const auto graph = loadModel(path);
        const auto blocks = recognizeBlocks(*graph, test::standardCatalog());
        std::map<std::string, int> kinds;
        const GraphOutline outline(*graph, blocks);
        for (const OutlineGroup& group : outline.groups()) {
            if (group.kind == OutlineKind::Block) ++kinds[group.name];
            if (!group.block.empty()) ++kinds[group.block];
        }
        QCOMPARE(kinds["LayerNorm"], 5);
        QCOMPARE(kinds["Attention"], 2);
        QCOMPARE(kinds["GELU"], 2);
    }
};

QTEST_GUILESS_MAIN(GraphOutlineTest)
#include "graph_outline_test.moc"
