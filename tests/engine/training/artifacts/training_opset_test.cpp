// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/training_opset.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/export/inference_export.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Models of opsets that the last ONNX Runtime with training can't load.
class TrainingOpsetTest : public QObject {
    Q_OBJECT

private slots:
    void artifactsAreOfAnOpsetThatTrainsThere_data() { rows(); }
    void artifactsAreOfAnOpsetThatTrainsThere();
    void exportsHaveTheirOpsetAndOperatorsAgain_data() { rows(); }
    void exportsHaveTheirOpsetAndOperatorsAgain();
    void operatorsWhoseInputsAreGoneStayAsTheyAre();
    void whatNoOlderOpsetExpressesIsReported();
    void olderModelsStayAsTheyAre();
    void aDamagedNoteIsAnError_data();
    void aDamagedNoteIsAnError();

private:
    static void rows() {
        QTest::addColumn<int>("opset");
        QTest::addColumn<QString>("nodes");
        const auto row = [](int opset, const char* name, const char* nodes) {
            QTest::addRow("%s, opset %d", name, opset) << opset << QString(nodes);
        };
        row(23, "Attention", "q = Mul(x, w) y = Attention<is_causal = 1>(q, x, x)");
        row(24, "Attention", "q = Mul(x, w) y = Attention<scale = 0.5>(q, x, x)");
        row(23, "an output that nothing reads",
            "q = Mul(x, w) y, k, v = Attention(q, x, x, \"\", x, x)");
        row(23, "RMSNormalization", "y = RMSNormalization(x, w)");
        row(24, "Swish", "q = Mul(x, w) y = Swish(q)");
        row(23, "two", "q = RMSNormalization(x, w) y = Attention(q, x, q)");
        row(25, "none newer", "q = Mul(x, w) r = Reshape(q, n) y = Cast<to = 1>(r)");
    }
    static std::unique_ptr<Graph> model(int opset, const QString& nodes) {
        const QString text = QString(
                                 "<ir_version: 11, opset_import: [\"\" : %1]> m "
                                 "(float[2, 1, 3, 4] x) => (float[a, b, c, d] y)"
                                 "<float[4] w = {1, -0.5, 2, 0.25},"
                                 " int64[4] n = {2, 1, -1, 4}> { %2 }")
                                 .arg(opset)
                                 .arg(nodes);
        auto graph = parseText(text.toStdString());
        graph->removeUnused();
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    static Artifacts artifactsOf(const Graph& graph) {
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        return generateArtifacts(graph, *allOps(), spec);
    }
    static std::vector<std::string> operatorsOf(const Graph& graph) {
        std::vector<std::string> names;
        for (const Node* node : graph.topologicalOrder()) names.push_back(node->opType());
        std::ranges::sort(names);
        return names;
    }
    static std::unique_ptr<Graph> exported(const Graph& graph) {
        const Artifacts artifacts = artifactsOf(graph);
        TrainingSession session(artifacts, std::make_shared<CheckpointState>(artifacts.checkpoint),
                                allOps());
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("m.onnx").toStdString();
        exportInferenceModel(session, {path, {"y"}}, *allOps());
        return loadModel(path);
    }
};

void TrainingOpsetTest::artifactsAreOfAnOpsetThatTrainsThere() {
    QFETCH(int, opset);
    QFETCH(QString, nodes);
    const auto graph = model(opset, nodes);
    const Artifacts artifacts = artifactsOf(*graph);
    for (const auto& made :
         {artifacts.trainingModel, artifacts.evalModel, artifacts.optimizerModel})
        QCOMPARE_LE(made->info().onnxOpset(), kNewestTrainingOpset);
    QCOMPARE_LE(artifacts.trainingModel->info().irVersion, 10);
    const Feeds feeds{{"x", randomTensor({2, 1, 3, 4})}};
    const Feeds both{{"x", randomTensor({2, 1, 3, 4})},
                     {"w", graph->at("w")->constant()},
                     {"target", Tensor(DType::Float32, {2, 1, 3, 4})}};
    const Tensor expected = runGraph(*graph, feeds).at("y");
    const std::unique_ptr<Graph> eval = artifacts.evalModel->clone();
    eval->setOutputs({eval->at("y")});
    const std::string problem = difference(runGraph(*eval, both).at("y"), expected, {1e-6, 1e-6});
    QVERIFY2(problem.empty(), problem.c_str());
}

void TrainingOpsetTest::exportsHaveTheirOpsetAndOperatorsAgain() {
    QFETCH(int, opset);
    QFETCH(QString, nodes);
    const auto graph = model(opset, nodes);
    const auto back = exported(*graph);
    QCOMPARE(back->info().onnxOpset(), opset);
    QCOMPARE(back->info().irVersion, graph->info().irVersion);
    QVERIFY(back->info().metadata.empty());
    QCOMPARE(operatorsOf(*back), operatorsOf(*graph));
    const Feeds feeds{{"x", randomTensor({2, 1, 3, 4})}};
    const std::string problem =
        difference(runGraph(*back, feeds).at("y"), runGraph(*graph, feeds).at("y"), {0, 0});
    QVERIFY2(problem.empty(), problem.c_str());
}

/// A value inside the decomposition of a newer operator may be exported, too.
void TrainingOpsetTest::operatorsWhoseInputsAreGoneStayAsTheyAre() {
    const auto graph = model(23, "q = Mul(x, w) r = RMSNormalization(q, w) y = Neg(r)");
    fitTrainingOpset(*graph, allOps()->catalog);
    Value* square = nullptr;
    for (const Value* value : graph->values())
        if (value->producer() != nullptr && value->producer()->opType() == "ReduceMean")
            square = graph->at(value->name());
    QVERIFY(square != nullptr);
    graph->setOutputs({square});
    graph->removeUnused();
    restoreOpset(*graph, allOps()->catalog);
    QCOMPARE(graph->info().onnxOpset(), 23);
    QVERIFY(std::ranges::count(operatorsOf(*graph), "RMSNormalization") == 0);
    QVERIFY(!hasErrors(inferTypes(*graph, allOps()->catalog)));
}

void TrainingOpsetTest::whatNoOlderOpsetExpressesIsReported() {
    const auto graph =
        model(23, "c = Cast<to = 23>(x) d = Cast<to = 1>(c) e = Mul(d, w) y = Add(e, x)");
    const std::string before = serializeModel(*graph);
    const auto told = fitTrainingOpset(*graph, allOps()->catalog);
    QVERIFY(told && told->code == "A023" && told->severity == Severity::Info);
    for (const char* word : {"opset 23", "up to 21", "Cast", "float4e2m1"})
        QVERIFY2(told->message.find(word) != std::string::npos, told->message.c_str());
    QVERIFY(serializeModel(*graph) == before);
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    const ArtifactPlan plan = planArtifacts(*graph, *allOps(), spec);
    QVERIFY(std::ranges::count(plan.findings, "A023", &Finding::code) == 1);
    QVERIFY(!hasErrors(plan.findings));
    QCOMPARE(artifactsOf(*graph).evalModel->info().onnxOpset(), 23);
}

void TrainingOpsetTest::olderModelsStayAsTheyAre() {
    const auto graph = model(21, "y = Mul(x, w)");
    const std::string before = serializeModel(*graph);
    QVERIFY(!fitTrainingOpset(*graph, allOps()->catalog));
    restoreOpset(*graph, allOps()->catalog);
    QVERIFY(serializeModel(*graph) == before);
}

void TrainingOpsetTest::aDamagedNoteIsAnError_data() {
    QTest::addColumn<QString>("note");
    QTest::newRow("no graph") << "[1, 2";
    QTest::newRow("an opset that there is not")
        << "<ir_version: 11, opset_import: [\"\" : 99]> n (float[4] x) => (y) { y = Neg(x) }";
    QTest::newRow("a cycle")
        << "<ir_version: 11, opset_import: [\"\" : 23]> n (float[4] y) => (h) { h = Neg(y) }";
}

void TrainingOpsetTest::aDamagedNoteIsAnError() {
    QFETCH(QString, note);
    const auto graph = model(21, "h = Mul(x, w) y = Exp(h)");
    graph->info().metadata["temper.newer_operators"] = note.toStdString();
    QVERIFY_THROWS_EXCEPTION(Error, restoreOpset(*graph, allOps()->catalog));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TrainingOpsetTest)
#include "training_opset_test.moc"
