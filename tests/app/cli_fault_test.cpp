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
#include "engine/training/lesson.h"
#include "engine/training/project_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

namespace fs = std::filesystem;

constexpr int kPatienceMs = 60'000;

/// What a fault does to a run of a project; docs/faults.md is the table of them.
class CliFaultTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        makeProject("whole");
        const ProgramResult result = runTemper({"train", path("whole")});
        QVERIFY2(result.exitStatus == 0, result.all().constData());
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
        faultRow("disk full for the history, for a while", "pwrite", ENOSPC, "runs.sqlite", 40, 3, "");
    }
    void aFaultThatPassesCostsAtMostACheckpoint() {
        QFETCH(QString, fault);
        QFETCH(QString, message);
        const QString name = QTest::currentDataTag();
        makeProject(name);
        const Ending ending = train(name, fault);
        QVERIFY2(ending.status == 0, qPrintable(ending.err));
        QVERIFY2(ending.err.contains(message), qPrintable(ending.err));
        compareWithWhole(name);
        compareLogWithWhole(name);
    }

    void aLastingFaultEndsTheRunAndItGoesOnLater_data() {
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
    void aLastingFaultEndsTheRunAndItGoesOnLater() {
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

private:
    struct Ending {
        bool isExit = false;  ///< it was not killed by a signal
        int status = -1;
        QString err;
    };

    static void faultColumns() {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("message");
    }
    static void faultRow(const char* name, const char* call, int error, const char* part, int after,
                         int count, const char* message) {
        QTest::newRow(name) << QString("%1:%2:%3:%4:%5").arg(call).arg(error).arg(part).arg(after)
                                   .arg(count)
                            << message;
    }

    QString path(const QString& name) const { return dir_.filePath(name); }
    fs::path folder(const QString& name) const { return path(name).toStdString(); }

    void makeProject(const QString& name) const {
        ProjectFile project;
        project.spec = findLesson("iris").spec;
        project.spec.run.epochs = 6;
        project.spec.run.saveEvery = 3;
        writeProject(project, folder(name));
    }

    /// Trains the project while the fault is there.
    Ending train(const QString& name, const QString& fault, const QStringList& more = {}) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (!fault.isEmpty()) {
            environment.insert("LD_PRELOAD", QStringLiteral(TEMPER_FAULT_INJECTOR));
            environment.insert("TEMPER_FAULT", fault);
            environment.insert("ASAN_OPTIONS", "verify_asan_link_order=0");
        }
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(TEMPER_PROGRAM), QStringList{"train", path(name)} + more);
        process.waitForFinished(kPatienceMs);
        return {process.exitStatus() == QProcess::NormalExit && process.state() == QProcess::NotRunning,
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

    void compareWithWhole(const QString& name) const {
        QVERIFY(readAll(name + "/runs/0001/last.ckpt") == readAll("whole/runs/0001/last.ckpt"));
        QVERIFY(readAll(name + "/runs/0001/best.ckpt") == readAll("whole/runs/0001/best.ckpt"));
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
