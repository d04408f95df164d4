// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTest>

#include "engine/ir/graph_outline.h"
#include "engine/ir/module_scope.h"
#include "engine/onnx/model_file.h"
#include "tests/engine/ir/graph_test_support.h"
#include "tests/support/standard_catalog.h"

using namespace temper;
using namespace temper::test;

namespace {

std::unique_ptr<Graph> oneNode(const std::string& name) {
    auto graph = std::make_unique<Graph>();
    Value* input = graph->addInput("x", {DType::Float32, SymbolicShape{Dim::of(4)}, false});
    graph->addNode({.opType = "Relu", .inputs = {input}, .outputs = {"y"}, .name = name});
    return graph;
}

constexpr const char* kTrace =
    "File \"/home/a/model.py\", line 12, in forward\n    x = self.fc(x)\n"
    "  File \"/usr/lib/python3/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n"
    "    return F.linear(input, self.weight, self.bias)\n";

/// "body:Sequential body/fc:Linear"
QString printed(const std::vector<ModuleScope>& modules) {
    QStringList parts;
    for (const ModuleScope& module : modules) {
        parts << QString::fromStdString(module.name + ":" + std::string(module.shortClass()));
    }
    return parts.join(' ');
}

/// The groups that are modules, each with its class; nested ones in brackets.
QString printed(const GraphOutline& outline, int group) {
    QStringList parts;
    for (const OutlineItem& item : outline.group(group).items) {
        if (item.group < 0) continue;
        const OutlineGroup& child = outline.group(item.group);
        const QString inside = printed(outline, item.group);
        if (child.kind != OutlineKind::Scope) {
            if (!inside.isEmpty()) parts << inside;
            continue;
        }
        parts << QString::fromStdString(child.name + ":" + child.className) +
                     (inside.isEmpty() ? "" : "(" + inside + ")");
    }
    return parts.join(' ');
}

}  // namespace

class ModuleScopeTest : public QObject {
    Q_OBJECT

private slots:
    void modulesAreThoseThatTheExporterWrote_data() {
        QTest::addColumn<Metadata>("metadata");
        QTest::addColumn<QString>("modules");
        QTest::addColumn<QString>("path");
        const QString deep = "body:Sequential layers.0:Linear";
        QTest::newRow("scopes with classes")
            << Metadata{{"pkg.torch.onnx.name_scopes", "['', 'body', 'body.layers.0', 'linear']"},
                        {"pkg.torch.onnx.class_hierarchy",
                         "['m.Net', 'a.b.Sequential', 'torch.nn.Linear', 'aten.linear.default']"}}
            << deep << "body.layers.0";
        QTest::newRow("namespace")
            << Metadata{{"namespace",
                         ": m.Net/body: a.b.Sequential/body.layers.0: torch.nn.Linear/linear: "
                         "aten.linear.default"}}
            << deep << "body.layers.0";
        QTest::newRow("scopes win over the namespace")
            << Metadata{{"pkg.torch.onnx.name_scopes", "['', 'fc', 'linear']"},
                        {"namespace", ": m.Net/other: a.Other/linear: aten.linear.default"}}
            << "fc:"
            << "fc";
        QTest::newRow("classes that don't fit")
            << Metadata{{"pkg.torch.onnx.name_scopes", "['', 'fc', 'linear']"},
                        {"pkg.torch.onnx.class_hierarchy", "['m.Net']"}}
            << "fc:"
            << "fc";
        QTest::newRow("the program's own operation")
            << Metadata{{"pkg.torch.onnx.name_scopes", "['', 'add']"}} << ""
            << "";
        QTest::newRow("without the program")
            << Metadata{{"pkg.torch.onnx.name_scopes", "['fc', 'linear']"}} << "fc:"
            << "fc";
        QTest::newRow("no list") << Metadata{{"pkg.torch.onnx.name_scopes", "['"}} << ""
                                 << "";
        QTest::newRow("no namespace") << Metadata{{"namespace", "a/b"}} << "named:"
                                      << "";
        QTest::newRow("nothing") << Metadata{} << "named:"
                                 << "";
    }
    void modulesAreThoseThatTheExporterWrote() {
        QFETCH(Metadata, metadata);
        QFETCH(QString, modules);
        QFETCH(QString, path);
        const auto graph = oneNode("/named/Relu");
        Node& node = *graph->nodes().front();
        node.setMetadata(metadata);
        QCOMPARE(printed(modulesAround(node)), modules);
        QCOMPARE(QString::fromStdString(modulePath(node)), path);
    }

    void theLineIsTheProgramsOwn_data() {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("code");
        QTest::newRow("called from a program") << QString(kTrace) << "model.py line 12"
                                               << "x = self.fc(x)";
        QTest::newRow("another library's")
            << "File \"a.py\", line 1, in f\n  g()\n  File \"/x/transformers/b.py\", line 7, in g\n"
            << "b.py line 7"
            << "";
        QTest::newRow("PyTorch only")
            << "File \"torch/nn/modules/linear.py\", line 134, in forward\n    y = 1\n"
            << "linear.py line 134"
            << "y = 1";
        QTest::newRow("Windows") << "File \"C:\\net\\model.py\", line 3, in forward"
                                 << "model.py line 3"
                                 << "";
        QTest::newRow("no number") << "File \"model.py\", line x, in forward"
                                   << ""
                                   << "";
        QTest::newRow("too large a number")
            << "File \"model.py\", line 99999999999999999999, in forward"
            << ""
            << "";
        QTest::newRow("out of order") << "\", line 3 File \"a"
                                      << ""
                                      << "";
        QTest::newRow("nothing") << ""
                                 << ""
                                 << "";
    }
    void theLineIsTheProgramsOwn() {
        QFETCH(QString, trace);
        QFETCH(QString, line);
        QFETCH(QString, code);
        const auto graph = oneNode("a");
        Node& node = *graph->nodes().front();
        node.setMetadata({{"pkg.torch.onnx.stack_trace", trace.toStdString()}});
        const std::optional<SourceLine> found = sourceLineOf(node);
        QCOMPARE(found ? QString::fromStdString(found->describe()) : QString(), line);
        if (found) QCOMPARE(QString::fromStdString(found->code), code);
    }

    void messagesNameTheModuleAndTheLine() {
        const auto graph = oneNode("node_linear");
        Node& node = *graph->nodes().front();
        QCOMPARE(node.describe(), std::string("node 'node_linear' (Relu)"));
        node.setMetadata({{"pkg.torch.onnx.name_scopes", "['', 'fc', 'linear']"},
                          {"pkg.torch.onnx.stack_trace", kTrace}});
        QCOMPARE(node.describe(),
                 std::string("node 'node_linear' (Relu of 'fc', model.py line 12)"));
    }

    void anExportsOutlineIsItsModules() {
        const char* path = TEMPER_CONFORMANCE_DIR "/dynamo/transformer_encoder.fresh/model.onnx";
        const auto graph = loadModel(path);
        // As nn.TransformerEncoder prints its modules; modules with a single node are that node.
        const QString layer =
            "layers.%1:TransformerEncoderLayer(self_attn:MultiheadAttention linear1:Linear "
            "linear2:Linear)";
        QCOMPARE(printed(GraphOutline(*graph, recognizeBlocks(*graph, test::standardCatalog())), 0),
                 "body:TransformerEncoder(" + layer.arg(0) + " " + layer.arg(1) + ")");
    }
};

QTEST_GUILESS_MAIN(ModuleScopeTest)
#include "module_scope_test.moc"
