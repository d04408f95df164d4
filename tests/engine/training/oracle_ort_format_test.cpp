// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/required_outputs.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// Our artifacts and models in ORT format, used by the real ONNX Runtime.
class OracleOrtFormatTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void ourArtifactsTrainTheSameThere_data();
    void ourArtifactsTrainTheSameThere();
    void filesOfOnnxRuntimeWrittenByUsTrainTheSameThere();
    void exportedModelsRunTheSameThere();
    void modelsWithBodiesRunTheSameThere();
};

void OracleOrtFormatTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void OracleOrtFormatTest::ourArtifactsTrainTheSameThere_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    for (const char* model : kTorchModels) {
        QTest::addRow("%s, AdamW", model) << QString(model) << "adamw_hf";
    }
    QTest::newRow("mlp, SGD") << QString("mlp") << "sgd";
}

void OracleOrtFormatTest::ourArtifactsTrainTheSameThere() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const TorchFixture fixture(model.toStdString());
    ArtifactSpec spec = fixture.spec(optimizer.toStdString());
    spec.ortFormat = true;
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    saveArtifacts(generateArtifacts(*fixture.model, *allOps(), spec), path, spec);
    for (const char* name : {"training", "eval", "optimizer"}) {
        QVERIFY(std::filesystem::remove(path + "/" + name + "_model.onnx"));
    }
    const auto session = sessionIn(folder.path());
    const QString parameters = folder.filePath("params.npz");
    const OracleResult there = trainThere(folder.path(), "checkpoint", feedsFile(fixture), 4,
                                          {"--feeds-mode", "steps", "--params-out", parameters});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, trainHere(*session, fixture.data, 4));
    if (QTest::currentTestFailed()) return;
    compareParameters(session->state(), readNpz(parameters.toStdString()));
}

void OracleOrtFormatTest::filesOfOnnxRuntimeWrittenByUsTrainTheSameThere() {
    const std::filesystem::path api = conformanceFolder() / "ort/training_api/ort_format";
    const QTemporaryDir folder;
    const std::filesystem::path out = folder.path().toStdString();
    for (const char* name : {"training_model.ort", "eval_model.ort", "optimizer_model.ort"}) {
        saveModel(*loadModel(api / name), out / name);
    }
    std::filesystem::copy_file(api / "checkpoint", out / "checkpoint");
    const QString feeds =
        QString::fromStdString((conformanceFolder() / "ort/feeds/simplenet").string());
    const OracleResult there = trainThere(folder.path(), "checkpoint", feeds, 5);
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const QJsonObject recorded =
        readJson(conformanceFolder() / "ort/expected/ort_format_adamw.json");
    std::vector<double> expected;
    for (const QJsonValue& step : recorded["steps"].toArray())
        expected.push_back(step["outputs"].toObject().begin()->toDouble());
    expected.resize(5);
    compareLosses(there.output, expected);
}

void OracleOrtFormatTest::exportedModelsRunTheSameThere() {
    const TorchFixture fixture("lenet");
    const QTemporaryDir folder;
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), fixture.spec("adamw_hf"));
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    session.exportModelForInferencing(folder.filePath("model.ort").toStdString(), {"output"});
    const std::vector<Tensor> feeds = feedsOf(session, fixture.data, 0, false);
    const Tensor here = session.evaluate(feeds, {"output"})[0].clone();
    writeNpz(folder.filePath("feeds.npz").toStdString(),
             {{session.inputNames(false)[0], feeds[0]}});
    const OracleResult there =
        runOracle("infer.py", {"--model", folder.filePath("model.ort"), "--feeds",
                               folder.filePath("feeds.npz"), "--out", folder.filePath("out")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays outputs = loadFeeds(folder.filePath("out").toStdString());
    const double worst = worstRatio(here, outputs.at("output"), 1e-6, 1e-5);
    QVERIFY2(worst <= 1, qPrintable(QString("%1 of the tolerance").arg(worst)));
}

/// x, three times increased by its half.
void OracleOrtFormatTest::modelsWithBodiesRunTheSameThere() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        graph (float[2] x) => (float[2] y)
            <int64 n = {3}, bool go = {1}, float half = {0.5}> {
            y = Loop (n, go, x) <
                body = graph (int64 i, bool c, float[2] s) => (bool c2, float[2] s2) {
                    t = Mul(x, half)
                    s2 = Add(s, t)
                    c2 = Identity(c)
                }
            >
        })");
    inferTypes(*graph, allOps()->catalog);
    completeForOrtFormat(*graph, allOps()->catalog);
    const QTemporaryDir folder;
    saveModel(*graph, folder.filePath("loop.ort").toStdString());
    writeNpz(folder.filePath("feeds.npz").toStdString(), {{"x", Tensor::of<float>({2}, {2, -4})}});
    const OracleResult there =
        runOracle("infer.py", {"--model", folder.filePath("loop.ort"), "--feeds",
                               folder.filePath("feeds.npz"), "--out", folder.filePath("out")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays outputs = loadFeeds(folder.filePath("out").toStdString());
    QCOMPARE(worstRatio(Tensor::of<float>({2}, {5, -10}), outputs.at("y"), 0, 1e-6), 0.0);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleOrtFormatTest)
#include "oracle_ort_format_test.moc"
