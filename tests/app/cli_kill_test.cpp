// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <stdexcept>

#include "engine/core/random.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_log.h"
#include "engine/runs/run_store.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/projects/project_run.h"
#include "tests/app/temper_program.h"

namespace temper::test {

namespace fs = std::filesystem;

constexpr int kKills = 200;  // or TEMPER_KILLS
constexpr int64_t kEpochs = 6;
constexpr int64_t kSaveEvery = 2;  // it is mostly saving

/// The program is killed repeatedly, at any moment of training and saving.
class CliKillTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        makeProject("whole");
        QElapsedTimer timer;
        timer.start();
        const ProgramResult result = runTemper({"train", path("whole")});
        QVERIFY2(result.exitStatus == 0, result.all().constData());
        wholeMs_ = timer.elapsed();
        whole_ = readRunLog(runLogPath(folder("whole") / "runs/0001"));
    }

    void theLastCheckpointIsWholeAndTheRunContinuesBitByBit() {
        Random random(7);
        bool isGiven = false;
        const int given = qEnvironmentVariableIntValue("TEMPER_KILLS", &isGiven);
        int kills = 0, finished = 0;
        while (kills < (isGiven ? given : kKills)) {
            const QString name = QString("run-%1").arg(finished++);
            makeProject(name);
            int64_t lastStep = 0;
            while (!isFinished(name) && killAtSomeMoment(name, random)) {
                ++kills;
                checkFiles(name, lastStep);
                if (QTest::currentTestFailed()) return;
            }
            compareWithWhole(name);
            if (QTest::currentTestFailed()) return;
        }
        qInfo("%d kills in %d runs of %lld steps, %d checkpoints read, none damaged", kills,
              finished, static_cast<long long>(whole_.steps.size()), checkpointsRead_);
    }

    /// The moments that a timer rarely hits: between any two calls that change files.
    void aRunKilledBetweenAnyTwoChangesOfFilesContinues() {
        const int stride = isThorough() ? 1 : 29;
        int kills = 0;
        for (;; ++kills) {
            const QString name = QString("call-%1").arg(kills * stride);
            makeProject(name);
            if (!killAtCall(name, kills * stride)) break;
            int64_t lastStep = 0;
            checkFiles(name, lastStep);
            if (!isFinished(name)) QVERIFY(!killAtCall(name, kNever));
            compareWithWhole(name);
            if (QTest::currentTestFailed()) {
                qWarning("killed at call %d", kills * stride);
                return;
            }
            QDir(path(name)).removeRecursively();
        }
        QVERIFY2(kills > 10, qPrintable(QString::number(kills)));
        qInfo("%d kills, each %d calls later than the one before", kills, stride);
    }

private:
    static constexpr int kNever = 1'000'000;

    static bool isThorough() { return qEnvironmentVariableIsSet("TEMPER_KILLS"); }

    QString path(const QString& name) const { return dir_.filePath(name); }
    fs::path folder(const QString& name) const { return path(name).toStdString(); }

    void makeProject(const QString& name) const {
        ProjectFile project;
        project.spec = findLesson("iris").spec;
        project.spec.run.epochs = kEpochs;
        project.spec.run.saveEvery = kSaveEvery;
        writeProject(project, folder(name));
    }

    bool hasRun(const QString& name) const {
        const fs::path store = runStorePath(folder(name));
        return fs::exists(store) && !RunStore(store).runs().empty();
    }

    /// A program can still be killed after the end of its run.
    bool isFinished(const QString& name) const {
        return hasRun(name) &&
               RunStore(runStorePath(folder(name))).runs().front().status == RunStatus::Finished;
    }

    /// Whether it was; if not, it must have reached its end.
    static bool wasKilled(QProcess& process) {
        if (process.exitStatus() == QProcess::CrashExit) return true;
        if (process.exitCode() != 0)
            throw std::runtime_error(process.readAllStandardError().toStdString());
        return false;
    }

    bool killAtCall(const QString& name, int call) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", QStringLiteral(TEMPER_FAULT_INJECTOR));
        environment.insert("TEMPER_FAULT", QString("kill:0:%1:%2:1").arg(dir_.path()).arg(call));
        environment.insert("ASAN_OPTIONS", "verify_asan_link_order=0");
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(TEMPER_PROGRAM), argumentsFor(name));
        process.waitForFinished();
        return wasKilled(process);
    }

    QStringList argumentsFor(const QString& name) const {
        QStringList arguments = {"train", path(name)};
        if (hasRun(name)) arguments << "--continue";
        return arguments;
    }

    /// Continues training to the end or until it is killed. Returns: whether it was killed.
    bool killAtSomeMoment(const QString& name, Random& random) const {
        QProcess process;
        process.start(QStringLiteral(TEMPER_PROGRAM), argumentsFor(name));
        // The first run of a project may not reach its end; later ones eventually do.
        const auto moment = static_cast<int>(random.below(static_cast<uint64_t>(wholeMs_)));
        if (process.waitForFinished(moment)) return wasKilled(process);
        sendSignal(process, SIGKILL);
        process.waitForFinished();
        return wasKilled(process);
    }

    /// Every checkpoint is whole, and the newest one is no older than before.
    void checkFiles(const QString& name, int64_t& lastStep) {
        QDirIterator files(path(name), {"*.ckpt"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            readCheckpoint(files.next().toStdString());
            ++checkpointsRead_;
        }
        readProject(folder(name));
        if (!hasRun(name)) return;
        const RunStore store(runStorePath(folder(name)));
        QCOMPARE(store.runs().size(), size_t{1});
        const ResumePoint point = resumePointOf(store.runs().front(), folder(name));
        QVERIFY2(point.step >= lastStep,
                 qPrintable(QString("%1 after %2").arg(point.step).arg(lastStep)));
        lastStep = point.step;
    }

    /// Step for step and bit for bit; and no file is left over that an uninterrupted run does not
    /// leave.
    void compareWithWhole(const QString& name) const {
        const RunRecord record = readRunLog(runLogPath(folder(name) / "runs/0001"));
        QCOMPARE(record.steps.size(), whole_.steps.size());
        for (size_t i = 0; i < record.steps.size(); ++i) {
            QCOMPARE(record.steps[i].step, whole_.steps[i].step);
            QVERIFY(record.steps[i].loss == whole_.steps[i].loss);
        }
        const QStringList files = filesOf(name);
        QVERIFY2(files == filesOf("whole"), qPrintable(files.join('\n')));
        for (const char* checkpoint : {"/runs/0001/last.ckpt", "/runs/0001/best.ckpt"})
            QVERIFY2(readAll(name + checkpoint) == readAll(QString("whole") + checkpoint),
                     checkpoint);
    }

    QByteArray readAll(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
    }

    QStringList filesOf(const QString& name) const {
        QStringList names;
        QDirIterator files(path(name), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext()) names << files.next().mid(path(name).size());
        names.sort();
        return names;
    }

    QTemporaryDir dir_;
    RunRecord whole_;
    qint64 wholeMs_ = 0;
    int checkpointsRead_ = 0;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliKillTest)
#include "cli_kill_test.moc"
