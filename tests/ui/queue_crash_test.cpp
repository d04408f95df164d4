// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <csignal>

#include "engine/runs/run_journal.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/runs/sweep_dialog.h"
#include "ui/run/run_queue.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 240'000;
constexpr int kVariations = 5;
constexpr int kKilled = 3;  ///< the run during which the program is killed, counted from 1
/// Names the project whose queue this program runs until it is killed.
constexpr auto kProject = "TEMPER_TEST_QUEUE";

size_t finished(WindowDriver& driver) {
    const auto& runs = *driver.window().work().history.runs();
    return static_cast<size_t>(std::ranges::count(runs, RunStatus::Finished, &StoredRun::status));
}

/// Opens the project and lets its queue run.
bool startQueue(WindowDriver& driver, const QString& project) {
    driver.window().files().open(project);
    return QTest::qWaitFor(
               [&] {
                   return driver.message().contains(
                              QString("%1 runs are waiting").arg(kVariations)) &&
                          driver.project().isReadyToTrain();
               },
               kPatienceMs) &&
           driver.click("bannerAction");
}

}  // namespace

/// A queue of variations whose program is killed in the middle.
class QueueCrashTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!qEnvironmentVariableIsSet(kProject)) return;
        WindowDriver driver;
        QVERIFY(startQueue(driver, qEnvironmentVariable(kProject)));
        QTest::qWait(kPatienceMs);
        QFAIL("this program was to be killed");
    }

    void fiveVariationsContinueWithTheSameCurves() {
        makeQueue("whole");
        if (QTest::currentTestFailed()) return;
        {
            WindowDriver driver;
            QVERIFY(startQueue(driver, path("whole")));
            QTRY_COMPARE_WITH_TIMEOUT(finished(driver), size_t{kVariations}, kPatienceMs);
        }
        makeQueue("killed");
        killInRun("killed");
        if (QTest::currentTestFailed()) return;

        WindowDriver driver;
        driver.window().files().open(path("killed"));
        QTRY_VERIFY2_WITH_TIMEOUT(driver.message().contains("was interrupted"),
                                  qPrintable(driver.message()), kPatienceMs);
        QVERIFY2(driver.message().contains("2 runs are waiting for it to end."),
                 qPrintable(driver.message()));
        QCOMPARE(finished(driver), size_t{kKilled - 1});
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.click("bannerAction"));
        QTRY_COMPARE_WITH_TIMEOUT(finished(driver), size_t{kVariations}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("The queue is done"), kPatienceMs);
        for (int run = 1; run <= kVariations; ++run) {
            const RunRecord whole = log("whole", run), killed = log("killed", run);
            QVERIFY(whole.end.has_value() && whole.steps.size() > 50);
            QCOMPARE(killed.steps.size(), whole.steps.size());
            for (size_t i = 0; i < whole.steps.size(); ++i) {
                QCOMPARE(killed.steps[i].step, whole.steps[i].step);
                QVERIFY(killed.steps[i].loss == whole.steps[i].loss);
            }
        }
    }

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QString logFile(const QString& name, int run) const {
        return path(name) + QString("/runs/%1/run.jsonl").arg(run, 4, 10, QChar('0'));
    }
    RunRecord log(const QString& name, int run) const {
        return readRunLog(logFile(name, run).toStdString());
    }

    /// A project with five learning rates in its queue, by the menu and the dialog.
    void makeQueue(const QString& name) const {
        ProjectFile project;
        project.spec = findLesson("digits").spec;
        project.spec.run.epochs = 12;  // long enough to be killed in the middle
        project.spec.run.saveEvery = 13;
        writeProject(project, path(name).toStdString());
        WindowDriver driver;
        driver.window().files().open(path(name));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.window().work().commands.action("queue.vary")->trigger();
        auto* dialog = driver.window().findChild<SweepDialog*>("sweep");
        QVERIFY(dialog != nullptr);
        auto* which = dialog->findChild<QComboBox*>("sweepSetting");
        which->setCurrentIndex(which->findText("Learning rate"));
        dialog->findChild<QLineEdit*>("sweepValues")
            ->setText(QString("0.0001..0.01:%1").arg(kVariations));
        dialog->findChild<QPushButton*>("sweepAdd")->click();
        QTRY_COMPARE_WITH_TIMEOUT(driver.window().work().queue.waiting(), size_t{kVariations},
                                  kPatienceMs);
    }

    /// Starts this program again, as another one that runs the queue, and kills it.
    void killInRun(const QString& name) const {
        QProcess other;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(kProject, path(name));
        environment.insert("TMPDIR", dir_.path());
        other.setProcessEnvironment(environment);
        other.start(QStringLiteral(TEMPER_QUEUE_CRASH_TEST), QStringList());
        const auto steps = [&] {
            QFile events(logFile(name, kKilled));
            return events.open(QIODevice::ReadOnly) ? events.readAll().count("\"event\":\"step\"")
                                                    : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(steps() >= 30 || other.state() == QProcess::NotRunning,
                                 kPatienceMs);
        QVERIFY2(other.state() == QProcess::Running, other.readAll().constData());
        ::kill(static_cast<pid_t>(other.processId()), SIGKILL);
        QVERIFY(other.waitForFinished());
        QCOMPARE(other.exitStatus(), QProcess::CrashExit);
        QVERIFY(!log(name, kKilled).end.has_value());
    }

    QTemporaryDir dir_;
};

QTEST_MAIN(QueueCrashTest)
#include "queue_crash_test.moc"
