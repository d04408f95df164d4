// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/ui/picture_folder.h"
#include "tests/ui/shown_texts.h"
#include "tests/ui/typing.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/panels/train/train_panel.h"
#include "ui/plots/plot_view.h"
#include "ui/widgets/banner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

TrainingSpec longRun(WindowDriver& driver) {
    TrainingSpec spec = driver.project().spec();
    spec.run.epochs = 100'000;
    spec.run.evaluateEvery = 40;
    return spec;
}

}  // namespace

/// Training controlled by a person, in the real window with the real engine.
class TrainTest : public QObject {
    Q_OBJECT

private slots:
    void aFinishedRunSaysWhatComesNext() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("train") && driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QStringList shown;
        for (const ShownText& each : shownTexts(driver.trainPanel())) shown << each.text;
        const QString all = shown.join('\n');
        for (const char* said : {"Finished 480 steps", "The weights are under Checkpoints",
                                 "Next: evaluate or export the model"})
            QVERIFY2(all.contains(said), qPrintable(all));
    }

    void aFailedRunIsRolledBackAndContinues() {
        WindowDriver driver;
        startLongRun(driver);
        if (QTest::currentTestFailed()) return;
        const TrainingSpec planned = driver.project().spec();
        failByRate(driver);
        if (QTest::currentTestFailed()) return;
        const EndEvent end = *driver.run().end();
        QVERIFY(end.goodStep && *end.goodStep > 0 && *end.goodStep <= end.step);
        const QString message = driver.message();
        QVERIFY2(message.contains(QString::number(*end.goodStep)), qPrintable(message));
        checkDetails(driver, end);
        if (QTest::currentTestFailed()) return;

        QVERIFY(driver.click("rollBackButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QCOMPARE(driver.run().step(), *end.goodStep);
        QVERIFY(driver.run().loss().points().back().x <= double(*end.goodStep));
        QCOMPARE(driver.run().marks().back().kind == RunMark::Kind::RolledBack ||
                     driver.run().marks().back().kind == RunMark::Kind::Best,
                 true);

        driver.project().edit("A rate that works", planned);
        auto* start = driver.window().findChild<QAbstractButton*>("startButton");
        QCOMPARE(start->text(), QString("Continue training"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > *end.goodStep + 20, kPatienceMs);
        QCOMPARE(driver.run().started().firstStep, *end.goodStep);
        QVERIFY(std::isfinite(driver.run().lastStep()->loss));
        stop(driver);
    }

    void aFailedRunContinuesAtATenthOfTheRate() {
        WindowDriver driver;
        startLongRun(driver);
        if (QTest::currentTestFailed()) return;
        failByRate(driver);
        if (QTest::currentTestFailed()) return;
        const int64_t good = *driver.run().end()->goodStep;
        const double before = driver.project().spec().run.learningRate;
        QVERIFY(driver.click("lowerRateButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().spec().run.learningRate, 0.1 * before,
                                  kPatienceMs);
        // A tenth of a rate that is far too high is still too high: it fails again, at the new
        // rate.
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Failed, kPatienceMs);
        QCOMPARE(driver.run().started().firstStep, good);
        QCOMPARE(driver.run().learningRate().points().back().y, 0.1 * before);
        QVERIFY(driver.run().end()->goodStep.has_value());
    }

    void aWarningBeforeTheFirstStepNamesNoStep() {
        WindowDriver driver;
        QVERIFY(driver.goTo("train"));
        WarningEvent warning;
        warning.message = "The model accepts only batches of 1 sample; 32 were requested.";
        driver.run().apply(std::vector{RunEvent{0, StartedEvent{}}, RunEvent{0, warning}});
        QVERIFY2(driver.message().contains("Before the first step"), qPrintable(driver.message()));
        QVERIFY2(!driver.message().contains("Step 0"), qPrintable(driver.message()));
    }

    /// While it is paused, a person most likely wants to go on.
    void resumeIsThePrimaryButtonOfAPausedRun() {
        WindowDriver driver;
        startLongRun(driver);
        if (QTest::currentTestFailed()) return;
        QVERIFY(isPrimary(driver, "startButton") && !isPrimary(driver, "pauseButton"));
        QVERIFY(driver.click("pauseButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Paused, kPatienceMs);
        const auto* resume = driver.trainPanel().findChild<QAbstractButton*>("pauseButton");
        QVERIFY2(resume->isEnabled() && resume->text() == "Resume", qPrintable(resume->text()));
        QVERIFY(isPrimary(driver, "pauseButton") && !isPrimary(driver, "startButton"));
        QVERIFY(driver.click("pauseButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Running, kPatienceMs);
        QVERIFY(isPrimary(driver, "startButton") && !isPrimary(driver, "pauseButton"));
        stop(driver);
    }

    /// Although none of its numbers is infinite.
    void aLossThatRunsAwayIsRolledBack() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("sine"));
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.optimizer = {"sgd", {}};
        spec.run.steps = 100'000'000;
        spec.run.clipNorm = 1;
        spec.run.schedule = {"constant", {}};
        spec.run.learningRate = 0.05;
        driver.project().edit("Train long", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 400, kPatienceMs);
        const int64_t before = driver.run().step();
        spec.run.learningRate = 3;
        driver.project().edit("Far too much", spec);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Failed, kPatienceMs);
        const EndEvent end = *driver.run().end();
        QCOMPARE(end.code, std::string("R002"));
        QVERIFY(std::isfinite(driver.run().lastStep()->loss));
        QVERIFY2(driver.message().contains("R002"), qPrintable(driver.message()));
        for (const char* name : {"lowerRateButton", "rollBackButton", "openNodeButton"}) {
            const auto* button = driver.trainPanel().findChild<QAbstractButton*>(name);
            QVERIFY2(button != nullptr && button->isVisible(), name);
        }
        // A state from before the loss rose.
        QVERIFY(end.goodStep && *end.goodStep > 0);
        double good = 0;
        for (const auto& point : driver.run().loss().points())
            if (point.x <= double(*end.goodStep)) good = std::max(good, point.y);
        QVERIFY2(good < 2, qPrintable(QString::number(good)));
        QVERIFY(*end.goodStep < end.step && before < end.step);

        QVERIFY(driver.click("explainButton"));
        QCOMPARE(driver.window().findChild<ExplainDock*>()->term(), QString("R002"));
        QVERIFY(driver.click("rollBackButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QCOMPARE(driver.run().step(), *end.goodStep);
        spec.run.learningRate = 0.05;
        spec.run.steps = *end.goodStep + 200;
        driver.project().edit("A rate that works", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
    }

    /// A lower rate would not bring them back.
    void aRunWhoseDataIsGoneContinuesFromItsNewestCheckpoint() {
        WindowDriver driver;
        const QString folder = driver.filePath("shapes"), elsewhere = driver.filePath("moved");
        trainOnPictures(driver, folder);
        if (QTest::currentTestFailed()) return;
        const auto newest = [&] {
            int64_t step = 0;
            for (const CheckpointEntry& entry : driver.run().checkpoints())
                step = std::max(step, entry.step);
            return step;
        };
        QTRY_VERIFY_WITH_TIMEOUT(newest() >= 3, kPatienceMs);
        QVERIFY(QDir().rename(folder, elsewhere));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Failed, kPatienceMs);
        const int64_t step = newest();
        QVERIFY2(*driver.run().end()->goodStep < step, "the copy in memory is older");
        const QStringList offered = offeredByBanner(driver);
        QCOMPARE(offered,
                 QStringList({"Choose the data again", QString("Continue at step %1").arg(step)}));
        QVERIFY2(driver.trainPanel().findChild<Banner*>()->text().contains(
                     QString("last good state is from step %1.").arg(step)),
                 qPrintable(driver.trainPanel().findChild<Banner*>()->text()));
        QVERIFY(isPrimary(driver, "chooseDataButton") && !isPrimary(driver, "startButton"));
        QVERIFY(driver.savePicture("fault-11-gone"));
        QVERIFY(driver.click("chooseDataButton"));
        QCOMPARE(driver.window().pages().current(), QString("data"));
        driver.window().files().open(elsewhere);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QCOMPARE(offeredByBanner(driver).front(), QString("Continue at step %1").arg(step));
        const QString said = driver.trainPanel().findChild<Banner*>()->text();
        QVERIFY2(said.contains("chosen again") && !said.contains("does not exist"),
                 qPrintable(said));
        QVERIFY(isPrimary(driver, "continueButton") && !isPrimary(driver, "startButton"));
        QVERIFY(driver.savePicture("fault-11-again"));
        QVERIFY(driver.click("continueButton"));
        // The run that failed may be some steps ahead of its checkpoint.
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().started().firstStep, step, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > step + 1, kPatienceMs);
        stop(driver);
    }

    /// With the context menu of a plot: to the latest checkpoint at or before that step.
    void aRunGoesBackToACheckpointOnItsCurve() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 100;
        spec.run.saveEvery = 20;
        driver.project().edit("A hundred steps", spec);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QVERIFY(driver.run().isActive());
        QVERIFY(!goBackAction(driver, 50)->isEnabled());  // while it trains
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(!goBackAction(driver, 10)->isEnabled());
        QAction* back = goBackAction(driver, 50);
        QVERIFY2(back->isEnabled() && back->text().contains("40"), qPrintable(back->text()));
        back->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().step(), int64_t{40}, kPatienceMs);
        QCOMPARE(driver.run().loss().points().back().x, 40.0);
        // The later part is no longer on the curve.
        QVERIFY(goBackAction(driver, 90)->text().contains("40"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QCOMPARE(driver.run().started().firstStep, int64_t{40});
        QCOMPARE(driver.run().loss().points().size(), size_t{100});
        QVERIFY(goBackAction(driver, 90)->text().contains("80"));
    }

    void theRateIsChangedDuringTraining() {
        WindowDriver driver;
        startLongRun(driver);
        if (QTest::currentTestFailed()) return;
        const double planned = driver.project().spec().run.learningRate;
        auto* field = driver.window().findChild<QLineEdit*>("liveRate");
        QVERIFY(field != nullptr && field->isVisible());
        type(field, "0.000125");
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().lastStep()->learningRate, 0.000125, kPatienceMs);
        const auto& marks = driver.run().marks();
        QVERIFY(std::ranges::find(marks, RunMark::Kind::LearningRate, &RunMark::kind) !=
                marks.end());
        QCOMPARE(driver.project().spec().run.learningRate, planned);
        QVERIFY(QTest::qWaitFor([&] { return driver.click("followScheduleButton"); }, kPatienceMs));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().lastStep()->learningRate, planned, kPatienceMs);
        QVERIFY(!driver.run().hasRateByHand());
        QVERIFY(driver.window().windowTitle().contains('%'));
        stop(driver);
    }

    /// It stays for the runs after this one, and Stop does not wait for the next step.
    void theSpeedIsChosenInStepsASecond() {
        WindowDriver driver;
        startLongRun(driver);
        if (QTest::currentTestFailed()) return;
        auto* slider = driver.window().findChild<QAbstractSlider*>("paceSlider");
        QVERIFY(slider != nullptr && slider->isVisible());
        QCOMPARE(slider->value(), slider->maximum());
        QCOMPARE(driver.window().work().controller.pace(), 0.0);
        slider->setValue(0);
        QCOMPARE(driver.window().work().controller.pace(), 1.0);
        // Until the steps that were done at full speed are shown.
        const auto isSlow = [&] {
            const int64_t seen = driver.run().step();
            QTest::qWait(400);
            return driver.run().step() <= seen + 1;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isSlow(), kPatienceMs);
        const int64_t before = driver.run().step();
        const auto begin = std::chrono::steady_clock::now();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() >= before + 3, kPatienceMs);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        QVERIFY2(taken.count() >= 1, qPrintable(QString::number(taken.count())));
        stop(driver);
        QCOMPARE(driver.window().work().controller.pace(), 1.0);
    }

    void smoothingIsASlider() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("train"));
        auto* slider = driver.window().findChild<QAbstractSlider*>("smoothingSlider");
        QVERIFY(slider != nullptr);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        slider->setValue(0);
        const auto& raw = driver.run().loss().points();
        const auto& smooth = driver.run().smoothedLoss().points();
        QCOMPARE(smooth.size(), raw.size());
        for (size_t i = 0; i < raw.size(); ++i) QCOMPARE(smooth[i].y, raw[i].y);
    }

    void aRunStopsAtTheEndOfItsEpoch() {
        WindowDriver driver;
        startLongRun(driver);
        if (QTest::currentTestFailed()) return;
        driver.window().work().training.stopAfterEpoch()->trigger();
        QVERIFY(driver.run().stopsAfterEpoch());
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QCOMPARE(driver.run().step() % driver.run().started().stepsPerEpoch, int64_t{0});
    }

    void stoppingWritesTheLastCheckpointOnlyOnRequest_data() {
        QTest::addColumn<bool>("saves");
        QTest::newRow("stop and save") << true;
        QTest::newRow("stop without saving") << false;
    }
    void stoppingWritesTheLastCheckpointOnlyOnRequest() {
        QFETCH(bool, saves);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = longRun(driver);
        spec.run.saveEvery = 1'000'000'000;
        spec.run.saveFolder = driver.filePath("checkpoints").toStdString();
        driver.project().edit("Train long", spec);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 5, kPatienceMs);
        TrainingActions& training = driver.window().work().training;
        (saves ? training.stop() : training.stopNow())->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QCOMPARE(QFileInfo::exists(driver.filePath("checkpoints/last.ckpt")), saves);
    }

private:
    static QAction* goBackAction(WindowDriver& driver, double step) {
        return driver.trainPanel().lossPlot()->contextMenuAt(step)->findChild<QAction*>("goBack");
    }
    void startLongRun(WindowDriver& driver) {
        QVERIFY(driver.openLesson("digits"));
        driver.project().edit("Train long", longRun(driver));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 200, kPatienceMs);
    }

    /// Slowly enough that they can be lost before the end.
    void trainOnPictures(WindowDriver& driver, const QString& folder) {
        QVERIFY(driver.openLesson("digits"));
        writePictureFolder(folder, 3, 20);
        driver.window().files().open(folder);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().data() && driver.project().isReadyToTrain(),
                                 kPatienceMs);
        TrainingSpec spec = longRun(driver);
        spec.run.batchSize = 16;
        spec.run.saveEvery = 3;
        driver.project().edit("Train long", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
    }

    static bool isPrimary(WindowDriver& driver, const char* name) {
        const auto* button = driver.trainPanel().findChild<QAbstractButton*>(QLatin1String(name));
        return button != nullptr && button->property("primary").toBool();
    }

    static QStringList offeredByBanner(WindowDriver& driver) {
        QStringList texts;
        for (const auto* button :
             driver.trainPanel().findChild<Banner*>()->findChildren<QPushButton*>())
            if (button->isVisible() && button->objectName() != "bannerDetailsButton")
                texts << button->text();
        return texts;
    }

    void failByRate(WindowDriver& driver) {
        TrainingSpec spec = driver.project().spec();
        spec.run.learningRate = 1e30;
        driver.project().edit("Far too much", spec);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Failed, kPatienceMs);
    }

    /// The raw text is behind a button and can be copied.
    void checkDetails(WindowDriver& driver, const EndEvent& end) {
        Banner* banner = nullptr;
        for (auto* each : driver.trainPanel().findChildren<Banner*>())
            if (each->isVisible()) banner = each;
        QVERIFY(banner != nullptr);
        auto* details = banner->findChild<QPlainTextEdit*>("bannerDetails");
        auto* unfold = banner->findChild<QAbstractButton*>("bannerDetailsButton");
        QVERIFY(!details->isVisible());
        unfold->click();
        QVERIFY(details->isVisible());
        banner->findChild<QAbstractButton*>("copyDetails")->click();
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY2(copied.startsWith(QString::fromStdString(end.message)), qPrintable(copied));
        QVERIFY2(copied.contains("\nlearning rate: 1e+30"), qPrintable(copied));
        QVERIFY2(copied.contains(QString("\nlast good step: %1").arg(*end.goodStep)),
                 qPrintable(copied));
        unfold->click();
        QVERIFY(!details->isVisible());
    }

    void stop(WindowDriver& driver) {
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
    }
};

QTEST_MAIN(TrainTest)
#include "train_test.moc"
