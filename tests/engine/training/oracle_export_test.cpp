// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <cstring>

#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/oracle_run.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Our artifacts exported by the real ONNX Runtime, its artifacts exported by us: both models hold
/// the same weights and give the same results, in both engines.
class OracleExportTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void ourArtifactsAreExportedThereAlike_data();
    void ourArtifactsAreExportedThereAlike();
    void itsArtifactsTrainAndAreExportedHereAlike_data();
    void itsArtifactsTrainAndAreExportedHereAlike();

private:
    static void compareExports(const QTemporaryDir& folder, const TorchFixture& fixture,
                               TrainingSession& session, const QString& checkpoint);
    static void compareWeights(const Graph& exported, const CheckpointState& state);
    static void compareOutputs(const QTemporaryDir& folder, const QString& model,
                               const Arrays& inputs, const Tensor& expected);
    static QStringList generatorArguments(const TorchFixture& fixture, const QString& optimizer,
                                          const QString& folder);
};

void OracleExportTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void OracleExportTest::ourArtifactsAreExportedThereAlike_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : kTorchModels) QTest::newRow(model) << QString(model);
}

void OracleExportTest::ourArtifactsAreExportedThereAlike() {
    QFETCH(QString, model);
    const TorchFixture fixture(model.toStdString());
    const QTemporaryDir folder;
    const ArtifactSpec spec = fixture.spec("adamw_hf");
    saveArtifacts(generateArtifacts(*fixture.model, *allOps(), spec), folder.path().toStdString(),
                  spec);
    const auto session = sessionIn(folder.path());
    trainHere(*session, fixture.data, 3);
    session->state().save(folder.filePath("trained").toStdString());
    compareExports(folder, fixture, *session, "trained");
}

/// For a session whose weights are also in a checkpoint of the folder.
void OracleExportTest::compareExports(const QTemporaryDir& folder, const TorchFixture& fixture,
                                      TrainingSession& session, const QString& checkpoint) {
    const QString ours = folder.filePath("ours.onnx"), theirs = folder.filePath("theirs.onnx");
    session.exportModelForInferencing(ours.toStdString(), {"output"});
    const OracleResult exported = runOracle(
        "export.py", {"--train", folder.filePath("training_model.onnx"), "--eval",
                      folder.filePath("eval_model.onnx"), "--checkpoint",
                      folder.filePath(checkpoint), "--outputs", "output", "--out", theirs});
    QVERIFY2(exported.succeeded(), qPrintable(exported.log));
    const Arrays inputs = modelInputs(fixture, session, 3);
    const Tensor expected =
        session.evaluate(feedsOf(session, fixture.data, 3, false), {"output"})[0].clone();
    for (const QString& path : {ours, theirs}) {
        compareWeights(*loadModel(path.toStdString()), session.state());
        if (QTest::currentTestFailed()) return;
        compareOutputs(folder, path, inputs, expected);
        if (QTest::currentTestFailed()) return;
    }
}

/// Bit by bit; weights that the output does not read are absent.
void OracleExportTest::compareWeights(const Graph& exported, const CheckpointState& state) {
    int compared = 0;
    for (const Parameter& parameter : state.parameters()) {
        const Value* value = exported.find(parameter.name);
        if (value == nullptr || !value->isInitializer()) continue;
        ++compared;
        QCOMPARE(value->constant().shape(), parameter.data.shape());
        QVERIFY2(std::memcmp(value->constant().data(), parameter.data.data(),
                             parameter.data.byteSize()) == 0,
                 parameter.name.c_str());
    }
    QCOMPARE(compared, static_cast<int>(state.parameters().size()));
}

void OracleExportTest::compareOutputs(const QTemporaryDir& folder, const QString& model,
                                      const Arrays& inputs, const Tensor& expected) {
    Feeds feeds;
    for (const auto& [name, tensor] : inputs) feeds.emplace(name, tensor);
    const Tensor here = runGraph(*loadModel(model.toStdString()), feeds).at("output");
    writeNpz(folder.filePath("inputs.npz").toStdString(), inputs);
    const OracleResult there =
        runOracle("infer.py", {"--model", model, "--feeds", folder.filePath("inputs.npz"), "--out",
                               folder.filePath("outputs.npz")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Tensor found = readNpz(folder.filePath("outputs.npz").toStdString()).at("output");
    for (const Tensor& output : {here, found}) {
        const double worst = worstRatio(output, expected, 1e-6, 1e-6);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2 of the tolerance").arg(model).arg(worst)));
    }
}

/// The models for which ONNX Runtime generates artifacts that it can run, see the oracle's README.
void OracleExportTest::itsArtifactsTrainAndAreExportedHereAlike_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    for (const char* model : {"lstm", "mlp", "transformer"})
        for (const char* optimizer : {"adamw", "sgd"})
            QTest::addRow("%s, %s", model, optimizer) << QString(model) << QString(optimizer);
}

QStringList OracleExportTest::generatorArguments(const TorchFixture& fixture,
                                                 const QString& optimizer, const QString& folder) {
    return {"--model",     QString::fromStdString((fixture.folder / "model.onnx").string()),
            "--trainable", fixture.meta["parameters"].toObject().keys().join(','),
            "--loss",      "cross-entropy",
            "--optimizer", optimizer,
            "--out",       folder};
}

void OracleExportTest::itsArtifactsTrainAndAreExportedHereAlike() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const TorchFixture fixture(model.toStdString());
    const QTemporaryDir folder;
    const OracleResult made =
        runOracle("artifacts.py", generatorArguments(fixture, optimizer, folder.path()));
    QVERIFY2(made.succeeded(), qPrintable(made.log));

    const auto session = sessionIn(folder.path());
    const std::vector<double> losses = trainHere(*session, fixture.data, 5);
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", feedsFile(fixture), 5,
                   {"--params-out", folder.filePath("params.npz"), "--save-checkpoint",
                    folder.filePath("trained"), "--save-optimizer-state"});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, losses);
    if (QTest::currentTestFailed()) return;
    compareParameters(session->state(), readNpz(folder.filePath("params.npz").toStdString()));
    if (QTest::currentTestFailed()) return;

    const auto trained = sessionIn(folder.path(), "trained");
    compareExports(folder, fixture, *trained, "trained");
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleExportTest)
#include "oracle_export_test.moc"
