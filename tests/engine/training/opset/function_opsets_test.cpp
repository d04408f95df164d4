// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>
#include <algorithm>

#include "engine/ir/module_scope.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/metadata_fields.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/text_parser.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/opset/opset_conversion.h"
#include "tests/engine/training/golden_tensor.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Models whose functions import other versions of ONNX's operators than the model does.
class FunctionOpsetsTest : public QObject {
    Q_OBJECT

private slots:
    void modelsComputeWhatTheirFunctionsSay_data();
    void modelsComputeWhatTheirFunctionsSay();
    void theNewestOpsetStays();
    void bodiesOfFunctionsAreConverted();
    void nodesKeepTheirModules();
    void nodesKeepWhatTheExporterWroteOfThem();
    void parametersOfTheFunctionTrain();
    void whatCanNotBeConvertedIsRefusedByName_data();
    void whatCanNotBeConvertedIsRefusedByName();

private:
    static std::unique_ptr<Graph> read(const std::string& text) {
        return parseText(text, {.unifyOpsets = opsetUnifier(ops().catalog)});
    }
    static std::vector<int64_t> opsetsOf(const Graph& graph) {
        std::vector<int64_t> opsets;
        for (const Node* node : graph.nodes()) opsets.push_back(graph.info().opsetOf(*node));
        return opsets;
    }
};

/// See make_function_opsets_golden.py.
void FunctionOpsetsTest::modelsComputeWhatTheirFunctionsSay_data() {
    QTest::addColumn<QJsonObject>("golden");
    QFile file(TEMPER_SOURCE_DIR "/tests/engine/training/opset/function_opsets_golden.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    for (const QJsonValue each : QJsonDocument::fromJson(file.readAll())["cases"].toArray()) {
        const QJsonObject golden = each.toObject();
        QTest::newRow(qPrintable(golden["name"].toString())) << golden;
    }
}

void FunctionOpsetsTest::modelsComputeWhatTheirFunctionsSay() {
    QFETCH(QJsonObject, golden);
    const auto graph = read(golden["model"].toString().toStdString());
    const Results found = runGraph(*graph, {{"x", goldenTensor(golden["x"].toObject())}});
    const QJsonObject outputs = golden["outputs"].toObject();
    QCOMPARE(found.size(), static_cast<size_t>(outputs.size()));
    for (const QString& name : outputs.keys()) {
        const std::string problem = difference(
            found.at(name.toStdString()), goldenTensor(outputs[name].toObject()), {1e-5, 1e-6});
        QVERIFY2(problem.empty(), problem.c_str());
    }
    const std::string bytes = serializeModel(*graph);
    const auto again = parseModel(std::as_bytes(std::span(bytes)), "written");
    QCOMPARE(toText(*again), toText(*graph));
}

/// Nodes are converted upward, never downward: a newer operator may have no older form.
void FunctionOpsetsTest::theNewestOpsetStays() {
    const auto graph = read(R"(
        <ir_version: 8, opset_import: ["" : 12, "local" : 1]>
        m (float[2, 3] x) => (float[2, 3] y) { h = local.f(x) g = local.g(h) y = Celu(g) }
        <domain: "local", opset_import: ["" : 9]> f (a) => (b) { b = Relu(a) }
        <domain: "local", opset_import: ["" : 18]> g (a) => (b) { b = Mish(a) })");
    QCOMPARE(graph->info().onnxOpset(), int64_t{18});
    QCOMPARE(opsetsOf(*graph), std::vector<int64_t>(3, 18));
    for (const Node* node : graph->nodes()) {
        QVERIFY(node->foreignOpset() == nullptr);
        QVERIFY(node->metadata().empty());
    }
}

void FunctionOpsetsTest::bodiesOfFunctionsAreConverted() {
    const char* text = R"(
        <ir_version: 8, opset_import: ["" : %1, "local" : 1]>
        m (bool c, float[2, 3] x) => (float[A, B, C] y) { y = local.f(c, x) }
        <domain: "local", opset_import: ["" : %2]>
        f (p, a) => (b) {
            b = If<then_branch = t () => (u) { s = Softmax<axis = 0>(a) u = Unsqueeze<axes = [0]>(s) },
                   else_branch = e () => (v) { v = Unsqueeze<axes = [2]>(a) }>(p)
        })";
    const auto converted = read(QString(text).arg(17).arg(11).toStdString());
    const auto own = read(QString(text).arg(11).arg(11).toStdString());
    QCOMPARE(converted->info().onnxOpset(), int64_t{17});
    QCOMPARE(own->info().onnxOpset(), int64_t{11});
    for (const bool condition : {true, false}) {
        const Feeds feeds{{"c", Tensor::scalar(condition)}, {"x", randomTensor({2, 3})}};
        const std::string problem =
            difference(runGraph(*converted, feeds).at("y"), runGraph(*own, feeds).at("y"), {});
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

static const char* const kTwoRows = R"(
    <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
    m (float[2, 3, 4] x) => (float[2, 3, 4] y) { y = local.Rows(x) }
    <domain: "local", opset_import: ["" : 11]>
    Rows (a) => (b) { ["scale"] c = Tanh(a) ["rows"] b = Softmax(c) })";

/// The softmax becomes several nodes inside the otherwise unchanged function.
void FunctionOpsetsTest::nodesKeepTheirModules() {
    const auto graph = read(kTwoRows);
    QVERIFY(graph->nodeCount() > 3);
    for (const Node* node : graph->nodes()) {
        const std::vector<ModuleScope> modules = modulesAround(*node);
        QVERIFY2(!modules.empty() && modules[0].name == "Rows_1", node->name().c_str());
    }
}

void FunctionOpsetsTest::nodesKeepWhatTheExporterWroteOfThem() {
    onnx::ModelProto model;
    TextParser(kTwoRows).parseModel(model);
    for (auto& node : *model.mutable_functions(0)->mutable_node()) {
        writeMetadata({{"pkg.torch.onnx.name_scopes", "['', 'head', 'head.rows', 'softmax']"}},
                      node);
    }
    const std::string bytes = model.SerializeAsString();
    const auto graph = parseModel(std::as_bytes(std::span(bytes)), "given", {},
                                  {.unifyOpsets = opsetUnifier(ops().catalog)});
    QVERIFY(graph->nodeCount() > 3);
    for (const Node* node : graph->nodes())
        QVERIFY2(modulePath(*node) == "head.rows", node->name().c_str());
}

void FunctionOpsetsTest::parametersOfTheFunctionTrain() {
    const auto graph = read(R"(
        <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        m (float[N, 3] x) => (float[N, 2] y) <float[3, 2] w = {1, 2, 3, 4, 5, 6}> {
            y = local.f(x, w)
        }
        <domain: "local", opset_import: ["" : 11]>
        f (a, w) => (b) { c = MatMul(a, w) d = ReduceMean<axes = [1]>(c) b = Sub(c, d) })");
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    const Artifacts artifacts = generateArtifacts(*graph, ops(), spec);
    QCOMPARE(artifacts.checkpoint.trainable.size(), size_t{1});
    QCOMPARE(artifacts.trainingModel->info().onnxOpset(), int64_t{17});
}

void FunctionOpsetsTest::whatCanNotBeConvertedIsRefusedByName_data() {
    QTest::addColumn<int>("opset");
    QTest::addColumn<int>("ofFunction");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("message");
    QTest::newRow("open channels")
        << 21 << 18 << R"(["g"] b = GroupNormalization<num_groups = 1>(a, s, s))"
        << "node 'f_1/g' (GroupNormalization) of function 'f' can't be written in opset 21: the "
           "number of its channels is unknown.";
    QTest::newRow("open rank") << 17 << 11 << R"(c = Reshape(a, n) ["rows"] b = Softmax(c))"
                               << "node 'f_1/rows' (Softmax) of function 'f' can't be written in "
                                  "opset 17: the rank of 'f_1/c' is unknown.";
    QTest::newRow("without a name")
        << 17 << 11 << "c = Reshape(a, n) b = Hardmax(c)"
        << "Hardmax node of 'y' of function 'f' can't be written in opset 17";
    QTest::newRow("too old") << 17 << 6 << "b = Relu(a)"
                             << "Function 'f' uses version 6 of ONNX's operators; a model and its "
                                "functions may have different versions from 9 to 28.";
    QTest::newRow("too new") << 17 << 99 << "b = Relu(a)"
                             << "Function 'f' uses version 99";
    QTest::newRow("an old model") << 6 << 9 << "b = Relu(a)"
                                  << "The model uses version 6";
    QTest::newRow("against its own opset")
        << 17 << 13 << R"(["u"] b = Unsqueeze<axes = [0]>(a))"
        << "Unsqueeze 'f_1/u' has 1 input; it takes 2 (data, axes).";
}

void FunctionOpsetsTest::whatCanNotBeConvertedIsRefusedByName() {
    QFETCH(int, opset);
    QFETCH(int, ofFunction);
    QFETCH(QString, nodes);
    QFETCH(QString, message);
    const QString text = QString(R"(
        <ir_version: 8, opset_import: ["" : %1, "local" : 1]>
        m (float[N, C, 4] x, float[1] s, int64[R] n) => (y) { y = local.f(x, s, n) }
        <domain: "local", opset_import: ["" : %2]> f (a, s, n) => (b) { %3 })");
    try {
        read(text.arg(opset).arg(ofFunction).arg(nodes).toStdString());
        QFAIL("it was read");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::FunctionOpsetsTest)
#include "function_opsets_test.moc"
