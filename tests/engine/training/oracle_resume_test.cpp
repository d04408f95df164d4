// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/session/model_fingerprint.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// Checkpoints that the real ONNX Runtime wrote during training, and ours that passed through it.
class OracleResumeTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void itsCheckpointsContinueHere_data();
    void itsCheckpointsContinueHere();
    void ourCheckpointsComeBackFromThereBitByBit_data();
    void ourCheckpointsComeBackFromThereBitByBit();
    void aNominalCheckpointTrainsThereOnceParametersAreLoaded();

private:
    static void makeArtifacts(const TorchFixture& fixture, const QString& optimizer,
                              const QTemporaryDir& folder);
    static void compareMoments(const CheckpointState& here, const CheckpointState& there);
    static void addRows();
};

void OracleResumeTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void OracleResumeTest::addRows() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    for (const char* model : kTorchModels)
        QTest::addRow("%s, AdamW", model) << QString(model) << "adamw_hf";
    QTest::newRow("mlp, AdamW with weight decay") << QString("mlp") << "adamw";
    QTest::newRow("mlp, SGD") << QString("mlp") << "sgd";
}

void OracleResumeTest::itsCheckpointsContinueHere_data() { addRows(); }
void OracleResumeTest::ourCheckpointsComeBackFromThereBitByBit_data() {
    addRows();
    QTest::newRow("parameters beside the checkpoint") << QString("lenet") << "adamw_hf";
}

void OracleResumeTest::makeArtifacts(const TorchFixture& fixture, const QString& optimizer,
                                     const QTemporaryDir& folder) {
    ArtifactSpec spec = fixture.spec(optimizer.toStdString());
    const ArtifactPlan plan = planArtifacts(*fixture.model, *allOps(), spec);
    spec.frozen = {plan.trainable.front()};
    saveArtifacts(generateArtifacts(*fixture.model, *allOps(), spec), folder.path().toStdString(),
                  spec);
}

/// Moments are gradients and their squares: small numbers, which rounding leaves few exact digits.
void OracleResumeTest::compareMoments(const CheckpointState& here, const CheckpointState& there) {
    const auto& moments = there.optimizerState().moments;
    QCOMPARE(moments.size(), here.optimizerState().moments.size());
    for (const auto& [name, byMoment] : here.optimizerState().moments) {
        QVERIFY2(moments.contains(name), name.c_str());
        for (const auto& [moment, tensor] : byMoment) {
            const double worst = worstRatio(tensor, moments.at(name).at(moment), 1e-7, 1e-4);
            QVERIFY2(worst <= 1, qPrintable(QString("%1 of '%2': %3 of the tolerance")
                                                .arg(moment.c_str(), name.c_str())
                                                .arg(worst)));
        }
    }
}

/// Three steps in ONNX Runtime, then three more in each engine from the checkpoint of the first
/// three.
void OracleResumeTest::itsCheckpointsContinueHere() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const TorchFixture fixture(model.toStdString());
    const QTemporaryDir folder;
    makeArtifacts(fixture, optimizer, folder);
    const OracleResult first =
        trainThere(folder.path(), "checkpoint", feedsFile(fixture), 3,
                   {"--save-checkpoint", folder.filePath("trained"), "--save-optimizer-state",
                    "--property", "epoch=3", "--property", "best=0.25", "--property", "who=ort"});
    QVERIFY2(first.succeeded(), qPrintable(first.log));

    const auto whole = sessionIn(folder.path());
    compareLosses(first.output, trainHere(*whole, fixture.data, 3));
    if (QTest::currentTestFailed()) return;
    const auto session = sessionIn(folder.path(), "trained");
    QCOMPARE(session->state().propertyAs<int64_t>("epoch"), std::optional<int64_t>(3));
    QCOMPARE(session->state().propertyAs<float>("best"), std::optional<float>(0.25F));
    QCOMPARE(session->state().propertyAs<std::string>("who"), std::optional<std::string>("ort"));
    QCOMPARE(session->state().optimizerState().step, int64_t{3});
    compareMoments(whole->state(), session->state());
    if (QTest::currentTestFailed()) return;

    const OracleResult second = trainThere(folder.path(), "trained", feedsFile(fixture), 3,
                                           {"--params-out", folder.filePath("params.npz")});
    QVERIFY2(second.succeeded(), qPrintable(second.log));
    compareLosses(second.output, trainHere(*session, fixture.data, 3));
    if (QTest::currentTestFailed()) return;
    compareParameters(session->state(), readNpz(folder.filePath("params.npz").toStdString()));
}

/// ONNX Runtime reads our checkpoint and writes what it read.
void OracleResumeTest::ourCheckpointsComeBackFromThereBitByBit() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const TorchFixture fixture(model.toStdString());
    const QTemporaryDir folder;
    makeArtifacts(fixture, optimizer, folder);
    const auto session = sessionIn(folder.path());
    trainHere(*session, fixture.data, 3);
    CheckpointState& ours = session->state();
    ours.setProperty("epoch", int64_t{-7});
    ours.setProperty("best loss", 0.0625F);
    ours.setProperty("note", std::string("a\nb \u4e2d"));
    keepModelFingerprint(*session);
    const bool isBeside = QString(QTest::currentDataTag()).contains("beside");
    ours.setHasExternalData(isBeside);
    ours.save(folder.filePath("ours").toStdString(), true);
    QCOMPARE(QFile::exists(folder.filePath("ours.data")), isBeside);

    const OracleResult copied =
        trainThere(folder.path(), "ours", feedsFile(fixture), 0,
                   {"--save-checkpoint", folder.filePath("copy"), "--save-optimizer-state"});
    QVERIFY2(copied.succeeded(), qPrintable(copied.log));
    const CheckpointState copy = CheckpointState::load(folder.filePath("copy").toStdString());
    compareBits(copy, ours);
    QCOMPARE(copy.optimizerState().step, int64_t{3});
    QVERIFY(copy.properties() == ours.properties());
    QVERIFY(copy.hasProperty("temper.model_fingerprint"));
    QVERIFY(checkpointFindings(session->artifacts(), copy).empty());
}

/// The parameters as one array, in the order of the training model.
void OracleResumeTest::aNominalCheckpointTrainsThereOnceParametersAreLoaded() {
    const TorchFixture fixture("lenet");
    const QTemporaryDir folder;
    ArtifactSpec spec = fixture.spec("adamw_hf");
    spec.nominalCheckpoint = true;
    saveArtifacts(generateArtifacts(*fixture.model, *allOps(), spec), folder.path().toStdString(),
                  spec);
    const auto session = sessionIn(folder.path());
    const QString before = folder.filePath("before.npy"), after = folder.filePath("after.npy");
    writeNpy(before.toStdString(), session->toBuffer(false));
    const OracleResult there = trainThere(folder.path(), "nominal_checkpoint", feedsFile(fixture),
                                          3, {"--load-params", before, "--params-out", after});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, trainHere(*session, fixture.data, 3));
    if (QTest::currentTestFailed()) return;
    const double worst =
        worstRatio(session->toBuffer(false), readNpy(after.toStdString()), 1e-5, 1e-4);
    QVERIFY2(worst <= 1, qPrintable(QString("%1 of the tolerance").arg(worst)));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleResumeTest)
#include "oracle_resume_test.moc"
