// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// The linear schedule of the real ONNX Runtime compared with ours.
class OracleScheduleTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void stepsOfALinearScheduleAreTheSameThere_data();
    void stepsOfALinearScheduleAreTheSameThere();

private:
    struct Linear {
        int64_t warmup = 0;
        int64_t total = 0;
    };
    static constexpr int kSteps = 4;
    static constexpr float kRate = 0.01F;

    static void compareRun(const QTemporaryDir& folder, const QString& checkpoint,
                           const Linear& schedule, const QString& saved);
    static std::vector<double> trainHere(TrainingSession& session, const Arrays& data,
                                         std::vector<double>& rates);
};

void OracleScheduleTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void OracleScheduleTest::stepsOfALinearScheduleAreTheSameThere_data() {
    QTest::addColumn<int>("warmup");
    QTest::addColumn<int>("total");
    QTest::newRow("no warm-up") << 0 << 8;
    QTest::newRow("a warm-up of two steps") << 2 << 8;
    QTest::newRow("a warm-up into the second run") << 5 << 8;
    QTest::newRow("a warm-up that does not end") << 20 << 30;
    QTest::newRow("steps after the end") << 1 << 6;
}

/// One run in each engine, then another from a checkpoint of the real runtime.
void OracleScheduleTest::stepsOfALinearScheduleAreTheSameThere() {
    QFETCH(int, warmup);
    QFETCH(int, total);
    const TorchFixture fixture("mlp");
    const QTemporaryDir folder;
    const ArtifactSpec spec = fixture.spec("adamw_hf");
    saveArtifacts(generateArtifacts(*fixture.model, *allOps(), spec), folder.path().toStdString(),
                  spec);
    compareRun(folder, "checkpoint", {warmup, total}, "trained");
    if (QTest::currentTestFailed()) return;
    compareRun(folder, "trained", {warmup, total}, "end");
}

std::vector<double> OracleScheduleTest::trainHere(TrainingSession& session, const Arrays& data,
                                                  std::vector<double>& rates) {
    std::vector<double> losses;
    for (int64_t step = 0; step < kSteps; ++step) {
        losses.push_back(session.trainStep(feedsOf(session, data, step))[0].toDouble());
        rates.push_back(static_cast<double>(session.learningRate()));
        session.optimizerStep();
        session.schedulerStep();
        session.lazyResetGrad();
    }
    return losses;
}

/// Its Python interface sets the first step's rate at once; its C interface, like ours, keeps the
/// initial rate until the schedule is stepped.
void OracleScheduleTest::compareRun(const QTemporaryDir& folder, const QString& checkpoint,
                                    const Linear& schedule, const QString& saved) {
    const TorchFixture fixture("mlp");
    const OracleResult there = trainThere(
        folder.path(), checkpoint, feedsFile(fixture), kSteps,
        {"--schedule", QString("linear:%1:%2").arg(schedule.warmup).arg(schedule.total), "--lr",
         QString::number(static_cast<double>(kRate)), "--params-out", folder.filePath("params.npz"),
         "--save-checkpoint", folder.filePath(saved), "--save-optimizer-state"});
    QVERIFY2(there.succeeded(), qPrintable(there.log));

    const auto session = sessionIn(folder.path(), checkpoint);
    session->registerLinearLrSchedule(schedule.warmup, schedule.total, kRate);
    session->schedulerStep();
    const int64_t before = session->state().optimizerState().step;
    const auto chosen =
        makeLrSchedule({"linear", {{"warmup_steps", static_cast<double>(schedule.warmup)}}},
                       static_cast<double>(kRate), schedule.total);
    std::vector<double> rates;
    const std::vector<double> losses = trainHere(*session, fixture.data, rates);
    compareLosses(there.output, losses);
    if (QTest::currentTestFailed()) return;
    const QJsonArray steps = there.output["steps"].toArray();
    for (int i = 0; i < kSteps; ++i) {
        const double rate = steps[i].toObject()["learningRate"].toDouble(-1);
        QVERIFY2(std::abs(rates[static_cast<size_t>(i)] - rate) <= 1e-9,
                 qPrintable(QString::number(rate)));
        QVERIFY(std::abs(chosen->rateAt(before + i) - rate) <= 1e-9);
    }
    compareParameters(session->state(), readNpz(folder.filePath("params.npz").toStdString()));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleScheduleTest)
#include "oracle_schedule_test.moc"
