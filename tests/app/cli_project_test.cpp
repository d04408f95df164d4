// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

#include "engine/core/file.h"
#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

namespace fs = std::filesystem;

constexpr int kPatienceMs = 60'000;
constexpr int64_t kEpochs = 12;

/// Projects trained by the program, also if it is killed.
class CliProjectTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        makeProject("whole");
        const ProgramResult result = runTemper({"train", path("whole")});
        QVERIFY2(result.exitStatus == 0, result.all().constData());
        whole_ = log("whole");
        QVERIFY(whole_.end && whole_.end->outcome == RunOutcome::Finished);
    }

    void aProjectTrainsIntoItsHistory() {
        const RunStore store(runStorePath(folder("whole")));
        const StoredRun run = store.run(1);
        QVERIFY(run.status == RunStatus::Finished);
        QCOMPARE(run.step, whole_.started->totalSteps);
        QVERIFY(QFileInfo::exists(path("whole") + "/runs/0001/last.ckpt"));
        QVERIFY(QFileInfo::exists(path("whole") + "/runs/0001/best.ckpt"));
        QCOMPARE(run.metrics.front().name, std::string("accuracy"));
    }

    void aKilledProgramContinuesWithTheSameCurve_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 4; ++seed) QTest::addRow("kill %d", seed) << seed;
    }
    void aKilledProgramContinuesWithTheSameCurve() {
        QFETCH(int, seed);
        const QString name = QString("killed-%1").arg(seed);
        makeProject(name);
        Random random(static_cast<uint64_t>(seed));
        const auto total = static_cast<uint64_t>(whole_.started->totalSteps);
        const auto moment = static_cast<int64_t>(random.below(total * 3 / 4));
        killAfterStep(name, moment);
        if (QTest::currentTestFailed()) return;
        const int64_t before = log(name).steps.back().step;
        const ProgramResult result = runTemper({"train", path(name), "--continue"});
        QVERIFY2(result.exitStatus == 0, result.all().constData());
        const RunRecord record = log(name);
        qInfo("killed after step %lld, continued at %lld", static_cast<long long>(before),
              static_cast<long long>(record.started->firstStep));
        QVERIFY(record.started->firstStep <= before);
        compareWithWhole(record);
        QCOMPARE(readAll(name + "/runs/0001/last.ckpt"), readAll("whole/runs/0001/last.ckpt"));
        RunStore store(runStorePath(folder(name)));
        QCOMPARE(store.runs().size(), size_t{1});
        QVERIFY(store.run(1).status == RunStatus::Finished);
    }

    void nothingToContinueIsReported() {
        const ProgramResult result = runTemper({"train", path("whole"), "--continue"});
        QVERIFY(isFriendlyError(result));
        QVERIFY2(result.err.contains("no run to continue"), result.err.constData());
    }

    void optionsOfArtifactsAreRefusedForProjects() {
        const ProgramResult result = runTemper({"train", path("whole"), "--lr", "0.5"});
        QVERIFY(isFriendlyError(result));
        QVERIFY2(result.err.contains("--lr"), result.err.constData());
    }

    void evaluationSamplesThatDoNotFitAreReportedBeforeTheFirstStep() {
        ProjectFile project;
        project.spec.model = path("m.onnx").toStdString();
        saveModel(*parseText(R"(
            agraph (float[N, 2] x) => (float[N, 2] logits)
                <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> { logits = MatMul(x, w) })"),
                  project.spec.model);
        project.spec.run.data = "csv:" + path("train.csv").toStdString();
        project.spec.run.evalData = "csv:" + path("test.csv").toStdString();
        writeFileAtomically(folder("train.csv"), "a,b,y\n1,2,0\n3,1,1\n2,2,0\n5,1,1\n");
        writeFileAtomically(folder("test.csv"), "a,b,y\n1,2,0\n3,1,-1\n");
        writeProject(project, folder("labels"));
        const ProgramResult result = runTemper({"train", path("labels")});
        QVERIFY2(result.exitStatus > 0 && isFriendlyError(result), result.all().constData());
        QVERIFY2(result.err.contains("test.csv") && result.err.contains("-1"),
                 result.all().constData());
        QVERIFY2(!result.out.contains("training "), result.all().constData());
    }

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    fs::path folder(const QString& name) const { return path(name).toStdString(); }
    RunRecord log(const QString& name) const {
        return readRunLog(runLogPath(folder(name) / "runs/0001"));
    }
    QByteArray readAll(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
    }

    void makeProject(const QString& name) const {
        ProjectFile project;
        project.spec = findLesson("digits").spec;
        project.spec.run.epochs = kEpochs;
        project.spec.run.saveEvery = 17;
        writeProject(project, folder(name));
    }

    void killAfterStep(const QString& name, int64_t step) const {
        QProcess process;
        process.start(QStringLiteral(TEMPER_PROGRAM), {"train", path(name)});
        const QString file = path(name) + "/runs/0001/run.jsonl";
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(file) && steps(file) > step, kPatienceMs);
        QVERIFY(sendSignal(process, SIGKILL));
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
    }

    static int64_t steps(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll().count("\"event\":\"step\"") : 0;
    }

    /// Bit for bit, step for step.
    void compareWithWhole(const RunRecord& record) const {
        QCOMPARE(record.steps.size(), whole_.steps.size());
        for (size_t i = 0; i < record.steps.size(); ++i) {
            QCOMPARE(record.steps[i].step, whole_.steps[i].step);
            QVERIFY(record.steps[i].loss == whole_.steps[i].loss);
            QVERIFY(record.steps[i].gradientNorm == whole_.steps[i].gradientNorm);
            QVERIFY(record.steps[i].learningRate == whole_.steps[i].learningRate);
        }
        QCOMPARE(record.evaluations.size(), whole_.evaluations.size());
        for (size_t i = 0; i < record.evaluations.size(); ++i) {
            QCOMPARE(record.evaluations[i].step, whole_.evaluations[i].step);
            QVERIFY(record.evaluations[i].loss == whole_.evaluations[i].loss);
        }
    }

    QTemporaryDir dir_;
    RunRecord whole_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliProjectTest)
#include "cli_project_test.moc"
