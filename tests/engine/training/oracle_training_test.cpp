// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npz_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/export/inference_export.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// Our artifacts, checkpoints and exported models, used by the real ONNX Runtime.
class OracleTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void artifactsTrainTheSameThere_data();
    void artifactsTrainTheSameThere();
    void exportedModelsGiveTheEvalModelsOutputs_data();
    void exportedModelsGiveTheEvalModelsOutputs();

private:
    static void compareRun(const QTemporaryDir& folder, const TorchFixture& fixture,
                           TrainingSession& session, const QString& checkpoint, int64_t steps);
};

void OracleTrainingTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void OracleTrainingTest::artifactsTrainTheSameThere_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<bool>("halfFrozen");
    for (const char* model : kTorchModels) {
        QTest::addRow("%s, AdamW", model) << QString(model) << "adamw_hf" << false;
        QTest::addRow("%s, SGD", model) << QString(model) << "sgd" << false;
        QTest::addRow("%s, AdamW, half of the parameters frozen", model)
            << QString(model) << "adamw_hf" << true;
    }
}

/// Steps of the session, and of ONNX Runtime from a checkpoint that holds the session's state.
void OracleTrainingTest::compareRun(const QTemporaryDir& folder, const TorchFixture& fixture,
                                    TrainingSession& session, const QString& checkpoint,
                                    int64_t steps) {
    const QString parameters = folder.filePath("params.npz");
    const std::vector<double> losses = trainHere(session, fixture.data, steps);
    const OracleResult there = trainThere(folder.path(), checkpoint, feedsFile(fixture), steps,
                                          {"--params-out", parameters});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, losses);
    if (QTest::currentTestFailed()) return;
    compareParameters(session.state(), readNpz(parameters.toStdString()));
}

void OracleTrainingTest::artifactsTrainTheSameThere() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    QFETCH(bool, halfFrozen);
    const TorchFixture fixture(model.toStdString());
    const QTemporaryDir folder;
    ArtifactSpec spec = fixture.spec(optimizer.toStdString());
    if (halfFrozen) {
        const ArtifactPlan plan = planArtifacts(*fixture.model, *allOps(), spec);
        spec.frozen.assign(
            plan.trainable.begin(),
            plan.trainable.begin() + static_cast<std::ptrdiff_t>(plan.trainable.size() / 2));
    }
    saveArtifacts(generateArtifacts(*fixture.model, *allOps(), spec), folder.path().toStdString(),
                  spec);
    const auto session = sessionIn(folder.path());
    compareRun(folder, fixture, *session, "checkpoint", 5);
    if (QTest::currentTestFailed()) return;
    session->state().save(folder.filePath("trained").toStdString(), true);
    compareRun(folder, fixture, *session, "trained", 3);
}

void OracleTrainingTest::exportedModelsGiveTheEvalModelsOutputs_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : kTorchModels) {
        QTest::newRow(model) << QString(model);
    }
}

void OracleTrainingTest::exportedModelsGiveTheEvalModelsOutputs() {
    QFETCH(QString, model);
    const TorchFixture fixture(model.toStdString());
    const QTemporaryDir folder;
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), fixture.spec("adamw_hf"));
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    trainHere(session, fixture.data, 3);
    const std::string path = folder.filePath("model.onnx").toStdString();
    session.exportModelForInferencing(path, {"output"});

    const std::vector<Tensor> feeds = feedsOf(session, fixture.data, 3, false);
    const Tensor here = session.evaluate(feeds, {"output"})[0].clone();
    writeNpz(folder.filePath("feeds.npz").toStdString(), modelInputs(fixture, session, 3));
    const OracleResult there =
        runOracle("infer.py", {"--model", folder.filePath("model.onnx"), "--feeds",
                               folder.filePath("feeds.npz"), "--out", folder.filePath("out")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays outputs = loadFeeds(folder.filePath("out").toStdString());
    const double worst = worstRatio(here, outputs.at("output"), 1e-6, 1e-6);
    QVERIFY2(worst <= 1, qPrintable(QString("%1 of the tolerance").arg(worst)));

    // With batch norms folded into the weights, and weights in a file beside the model.
    const std::string folded = folder.filePath("folded.onnx").toStdString();
    const ExportedModel exported =
        exportInferenceModel(session, {folded, {"output"}, true, true}, *allOps());
    QVERIFY(QFile::exists(QString::fromStdString(folded + ".data")));
    QCOMPARE(exported.foldedBatchNorms > 0, model == "resnet" || model == "mobilenet");
    const OracleResult again =
        runOracle("infer.py", {"--model", QString::fromStdString(folded), "--feeds",
                               folder.filePath("feeds.npz"), "--out", folder.filePath("folded")});
    QVERIFY2(again.succeeded(), qPrintable(again.log));
    const double foldedWorst = worstRatio(
        loadFeeds(folder.filePath("folded").toStdString()).at("output"), here, 1e-5, 1e-5);
    QVERIFY2(foldedWorst <= 1, qPrintable(QString("%1 of the tolerance").arg(foldedWorst)));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleTrainingTest)
#include "oracle_training_test.moc"
