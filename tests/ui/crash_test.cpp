// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <csignal>

#include "engine/core/random.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/ui/window_driver.h"
#include "ui/widgets/banner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

QPushButton* offer(MainWindow& window, const QString& beginning) {
    for (auto* button : window.findChildren<QPushButton*>())
        if (button->isVisible() && button->text().startsWith(beginning)) return button;
    return nullptr;
}

}  // namespace

/// The program temper-studio itself is killed while it trains; the next window continues.
class CrashTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        makeProject("whole");
        WindowDriver driver;
        driver.window().files().open(path("whole"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.window().work().training.start()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        whole_ = log("whole");
        QVERIFY(whole_.end.has_value());
    }

    void aKilledStudioContinuesWithTheSameCurve_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 2; ++seed) QTest::addRow("kill %d", seed) << seed;
    }
    void aKilledStudioContinuesWithTheSameCurve() {
        QFETCH(int, seed);
        const QString name = QString("killed-%1").arg(seed);
        makeProject(name);
        Random random(static_cast<uint64_t>(seed));
        const auto total = static_cast<uint64_t>(whole_.started->totalSteps);
        killStudioAfter(name, static_cast<int64_t>(20 + random.below(total / 2)));
        if (QTest::currentTestFailed()) return;
        const int64_t reached = log(name).steps.back().step;

        WindowDriver driver;
        driver.window().files().open(path(name));
        QTRY_VERIFY_WITH_TIMEOUT(offer(driver.window(), "Continue at step") != nullptr,
                                 kPatienceMs);
        qInfo("killed after step %lld: \"%s\"", static_cast<long long>(reached),
              qPrintable(offer(driver.window(), "Continue at step")->text()));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.run().loss().isEmpty(), kPatienceMs);
        offer(driver.window(), "Continue at step")->click();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(driver.run().started().firstStep > 0);
        compareWithWhole(log(name));
        compareWithWhole(driver.run());
    }

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    RunRecord log(const QString& name) const {
        return readRunLog(path(name).toStdString() + "/runs/0001/run.jsonl");
    }

    void makeProject(const QString& name) const {
        ProjectFile project;
        project.spec = findLesson("digits").spec;
        project.spec.run.epochs = 12;
        project.spec.run.saveEvery = 13;
        writeProject(project, path(name).toStdString());
    }

    void killStudioAfter(const QString& name, int64_t step) const {
        QProcess studio;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        environment.insert("XDG_CONFIG_HOME", dir_.filePath("config"));
        environment.insert("XDG_DATA_HOME", dir_.filePath("data"));
        studio.setProcessEnvironment(environment);
        studio.start(QStringLiteral(TEMPER_STUDIO), {path(name), "--train"});
        const QString file = path(name) + "/runs/0001/run.jsonl";
        const auto steps = [&] {
            QFile events(file);
            return events.open(QIODevice::ReadOnly) ? events.readAll().count("\"event\":\"step\"")
                                                    : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(steps() >= step, kPatienceMs);
        QVERIFY(studio.processId() > 0);  // 0 would be all tests
        ::kill(static_cast<pid_t>(studio.processId()), SIGKILL);
        QVERIFY(studio.waitForFinished());
        QCOMPARE(studio.exitStatus(), QProcess::CrashExit);
    }

    /// Bit for bit, step for step.
    void compareWithWhole(const RunRecord& record) const {
        QCOMPARE(record.steps.size(), whole_.steps.size());
        for (size_t i = 0; i < record.steps.size(); ++i) {
            QCOMPARE(record.steps[i].step, whole_.steps[i].step);
            QVERIFY(record.steps[i].loss == whole_.steps[i].loss);
        }
        QCOMPARE(record.evaluations.size(), whole_.evaluations.size());
        for (size_t i = 0; i < record.evaluations.size(); ++i)
            QVERIFY(record.evaluations[i].loss == whole_.evaluations[i].loss);
    }

    void compareWithWhole(const RunModel& run) const {
        const auto& points = run.loss().points();
        QCOMPARE(points.size(), whole_.steps.size());
        for (size_t i = 0; i < points.size(); ++i) QVERIFY(points[i].y == whole_.steps[i].loss);
    }

    QTemporaryDir dir_;
    RunRecord whole_;
};

QTEST_MAIN(CrashTest)
#include "crash_test.moc"
