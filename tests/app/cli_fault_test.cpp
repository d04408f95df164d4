// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>

#include "engine/ort/checkpoint_file.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_log.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

namespace fs = std::filesystem;

constexpr int kPatienceMs = 60'000;
/// For runs that are disturbed while they train.
constexpr int64_t kManyEpochs = 120;

/// The effect of faults on a run of a project, as in the table of docs/faults.md.
class CliFaultTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        makeProject("whole");
        makeProject("long", kManyEpochs);
        for (const char* name : {"whole", "long"}) {
            const ProgramResult result = runTemper({"train", path(name)});
            QVERIFY2(result.exitStatus == 0, result.all().constData());
        }
    }

    void aFaultThatPassesCostsAtMostACheckpoint_data() {
        faultColumns();
        faultRow("disk full while a checkpoint is written", "write", ENOSPC, "(deleted)", 1, 1,
                 "No space left on device");
        faultRow("disk error while a checkpoint is synced", "fsync", EIO, "(deleted)", 1, 1,
                 "Input/output error");
        faultRow("checkpoint can't be put in place", "rename", EROFS, "last.ckpt", 1, 1,
                 "Read-only file system");
        faultRow("disk full for the log, for a while", "write", ENOSPC, "run.jsonl", 5, 4, "");
        faultRow("disk full for the history, for a while", "pwrite", ENOSPC, "runs.sqlite", 40, 3,
                 "");
    }
    void aFaultThatPassesCostsAtMostACheckpoint() {
        QFETCH(QString, fault);
        QFETCH(QString, message);
        const QString name = QTest::currentDataTag();
        makeProject(name);
        const Ending ending = train(name, fault);
        QVERIFY(QFile::exists(path(name) + ".seen"));
        QVERIFY2(ending.status == 0, qPrintable(ending.err));
        QVERIFY2(ending.err.contains(message), qPrintable(ending.err));
        compareWithWhole(name);
        compareLogWithWhole(name);
    }

    void aLastingFaultEndsTheRunAndItContinuesLater_data() {
        faultColumns();
        faultRow("disk full from a checkpoint on", "write", ENOSPC, "(deleted)", 1, 0,
                 "No space left on device");
        faultRow("disk full for all files of the run", "write", ENOSPC, "/runs/0001", 20, 0,
                 "No space left on device");
        faultRow("disk full for the log", "write", ENOSPC, "run.jsonl", 5, 0,
                 "No space left on device");
        faultRow("permission lost", "open", EACCES, "/runs/0001", 6, 0, "Permission denied");
        faultRow("disk has become read-only", "open", EROFS, "/runs/0001", 6, 0,
                 "Read-only file system");
        faultRow("disk does not sync", "fsync", EIO, "/runs/0001", 2, 0, "Input/output error");
    }
    void aLastingFaultEndsTheRunAndItContinuesLater() {
        QFETCH(QString, fault);
        QFETCH(QString, message);
        const QString name = QTest::currentDataTag();
        makeProject(name);
        const Ending ending = train(name, fault);
        QVERIFY2(ending.status > 0 && ending.isExit, qPrintable(ending.err));
        QVERIFY2(ending.err.contains("error: "), qPrintable(ending.err));
        QVERIFY2(ending.err.contains(message), qPrintable(ending.err));
        for (const QString& checkpoint : checkpointsOf(name))
            readCheckpoint(checkpoint.toStdString());
        const Ending later = train(name, {}, {"--continue"});
        QVERIFY2(later.status == 0, qPrintable(later.err));
        compareWithWhole(name);
    }

    /// Whoever sees the end in the history relies on it, after a power cut as well. (The header of
    /// the log is synced in any case.)
    void anEndThatDoesNotReachTheDiskIsAnError() {
        makeProject("end");
        const Ending ending = train("end", QString("fsync:%1:runs.sqlite-wal:1:0").arg(EIO));
        QVERIFY2(ending.status == 1 && ending.isExit, qPrintable(ending.err));
        QVERIFY2(ending.err.contains("error: The history of runs"), qPrintable(ending.err));
        compareWithWhole("end");
    }

    void theNetworkIsNotUsed() {
        makeProject("network");
        const Ending ending = train("network", QString("socket:%1:network:0:0").arg(ENETDOWN));
        QVERIFY2(ending.status == 0, qPrintable(ending.err));
        QVERIFY(!QFile::exists(path("network.seen")));
        // The injector would have seen the call.
        const Ending other = start("network", QString("socket:%1:network:0:0").arg(ENETDOWN),
                                   "/bin/bash", {"-c", "exec 3<>/dev/tcp/127.0.0.1/9"});
        QVERIFY(other.status != 0);
        QVERIFY(QFile::exists(path("network.seen")));
    }

    void aClockThatJumpsChangesNothing() {
        makeProject("clock");
        const Ending ending = train("clock", "clock:0:-:0:0");
        QVERIFY(QFile::exists(path("clock.seen")));
        QVERIFY2(ending.status == 0, qPrintable(ending.err));
        compareWithWhole("clock");
        compareLogWithWhole("clock");
        double last = 0;
        for (const RunEvent& event : readRunEvents(runLogPath(folder("clock") / "runs/0001"))) {
            QVERIFY(event.time >= last && event.time < 3600);
            last = event.time;
        }
    }

    void aSignalToEndSavesAndTheRunContinues_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }
    void aSignalToEndSavesAndTheRunContinues() {
        QFETCH(int, signal);
        const QString name = QTest::currentDataTag();
        makeProject(name, kManyEpochs);
        QProcess process;
        process.start(QStringLiteral(TEMPER_PROGRAM), {"train", path(name)});
        waitForSteps(name, 2);
        if (!sendSignal(process, signal)) QSKIP("it was faster than the signal");
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const RunRecord record = readRunLog(runLogPath(folder(name) / "runs/0001"));
        QVERIFY(record.end.has_value());
        if (record.end->outcome == RunOutcome::Finished) QSKIP("it was faster than the signal");
        QVERIFY(record.end->outcome == RunOutcome::Stopped);
        QCOMPARE(record.checkpoints.back().step, record.steps.back().step);
        const Ending later = train(name, {}, {"--continue"});
        QVERIFY2(later.status == 0, qPrintable(later.err));
        compareWith("long", name);
    }

    void aSecondProgramDoesNotContinueARunningRun() {
        makeProject("twice", kManyEpochs);
        QProcess first;
        first.start(QStringLiteral(TEMPER_PROGRAM), {"train", path("twice")});
        waitForSteps("twice", 1);
        Ending second;
        // If stopped while it writes to the history, it keeps the lock: stop it again at another
        // moment.
        do {
            if (!sendSignal(first, SIGSTOP)) QSKIP("it was faster than the second program");
            second = train("twice", {}, {"--continue"});
            QVERIFY(sendSignal(first, SIGCONT));
        } while (second.err.contains("database is locked"));
        QVERIFY2(second.status > 0 && second.isExit, qPrintable(second.err));
        QVERIFY2(second.err.contains("no run to continue"), qPrintable(second.err));
        QVERIFY(first.waitForFinished(kPatienceMs));
        QCOMPARE(first.exitCode(), 0);
        compareWith("long", "twice");
    }

    void tooLittleMemoryIsReported() {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("the address sanitizer takes more addresses than the limit leaves");
#endif
        const ProgramResult result = runShell(
            "(ulimit -v 1000000; $TEMPER demo digits --batch-size 60000 --out out)", dir_.path());
        QVERIFY(isFriendlyError(result));
    }

private:
    void waitForSteps(const QString& name, int steps) const {
        QTRY_VERIFY_WITH_TIMEOUT(
            readAll(name + "/runs/0001/run.jsonl").count("\"event\":\"step\"") >= steps,
            kPatienceMs);
    }

    struct Ending {
        bool isExit = false;  ///< not killed by a signal
        int status = -1;
        QString err;
    };

    static void faultColumns() {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("message");
    }
    static void faultRow(const char* name, const char* call, int error, const char* part, int after,
                         int count, const char* message) {
        QTest::newRow(name)
            << QString("%1:%2:%3:%4:%5").arg(call).arg(error).arg(part).arg(after).arg(count)
            << message;
    }

    QString path(const QString& name) const { return dir_.filePath(name); }
    fs::path folder(const QString& name) const { return path(name).toStdString(); }

    void makeProject(const QString& name, int64_t epochs = 6) const {
        ProjectFile project;
        project.spec = findLesson("iris").spec;
        project.spec.run.epochs = epochs;
        project.spec.run.saveEvery = 3;
        writeProject(project, folder(name));
    }

    /// Trains the project with the fault in place.
    Ending train(const QString& name, const QString& fault, const QStringList& more = {}) const {
        return start(name, fault, QStringLiteral(TEMPER_PROGRAM),
                     QStringList{"train", path(name)} + more);
    }

    Ending start(const QString& name, const QString& fault, const QString& program,
                 const QStringList& arguments) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (!fault.isEmpty()) {
            environment.insert("LD_PRELOAD", QStringLiteral(TEMPER_FAULT_INJECTOR));
            environment.insert("TEMPER_FAULT", fault);
            environment.insert("TEMPER_FAULT_SEEN", path(name) + ".seen");
            environment.insert("ASAN_OPTIONS", "verify_asan_link_order=0");
        }
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        process.waitForFinished(kPatienceMs);
        return {
            process.exitStatus() == QProcess::NormalExit && process.state() == QProcess::NotRunning,
            process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
    }

    QStringList checkpointsOf(const QString& name) const {
        const QDir folder(path(name) + "/runs/0001");
        QStringList paths;
        for (const QString& file : folder.entryList({"*.ckpt"}, QDir::Files))
            paths << folder.filePath(file);
        return paths;
    }

    QByteArray readAll(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
    }

    void compareWithWhole(const QString& name) const { compareWith("whole", name); }

    void compareWith(const QString& whole, const QString& name) const {
        for (const char* file : {"/runs/0001/last.ckpt", "/runs/0001/best.ckpt"})
            QVERIFY(!readAll(whole + file).isEmpty() &&
                    readAll(name + file) == readAll(whole + file));
    }

    void compareLogWithWhole(const QString& name) const {
        const auto log = [&](const QString& project) {
            return readRunLog(runLogPath(folder(project) / "runs/0001"));
        };
        const RunRecord record = log(name), whole = log("whole");
        QCOMPARE(record.steps.size(), whole.steps.size());
        for (size_t i = 0; i < record.steps.size(); ++i)
            QVERIFY(record.steps[i].loss == whole.steps[i].loss);
        QVERIFY(record.end && record.end->outcome == RunOutcome::Finished);
    }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliFaultTest)
#include "cli_fault_test.moc"
