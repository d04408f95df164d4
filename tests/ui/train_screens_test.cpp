// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDialog>
#include <QDir>
#include <QTabWidget>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/panels/train/own_plot.h"
#include "ui/panels/train/train_panel.h"
#include "ui/panels/train/train_plots.h"
#include "ui/plots/plot_cursor.h"
#include "ui/plots/plot_view.h"
#include "ui/widgets/fold.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

}  // namespace

/// Pictures of the train page in its states, for people to look at.
class TrainScreensTest : public QObject {
    Q_OBJECT

private slots:
    void theTrainPageIsPainted() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 60;
        spec.run.evaluateEvery = 200;
        spec.run.earlyStopPatience = 50;
        driver.project().edit("Train long", spec);
        QVERIFY(driver.goTo("train"));
        driver.window().docks().show("layers");
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 300, kPatienceMs);
        driver.window().work().controller.setLearningRate(spec.run.learningRate / 4);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().hasRateByHand(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 900, kPatienceMs);
        QVERIFY(driver.click("pauseButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Paused, kPatienceMs);
        TrainPlots& plots = *driver.trainPanel().plots();
        plots.cursor()->setX(static_cast<double>(driver.run().step()) / 2);
        saveBoth(driver, "train-paused");
        plots.cursor()->setX(std::nullopt);
        plots.loss()->showTable();
        auto* table = plots.loss()->findChild<QDialog*>("plotTable");
        QVERIFY(table->grab().save(pictureFile("train-table")));
        table->close();
        auto* tabs = driver.window().findChild<QTabWidget*>("trainTabs");
        OwnPlot* own = driver.trainPanel().ownPlot();
        tabs->setCurrentWidget(own);
        own->setChosen({});
        saveBoth(driver, "train-own-empty");
        const auto& layers = driver.run().layerHistory().names();
        own->setChosen({"gradient_norm", "learning_rate",
                        "layer/update_ratio/" + QString::fromStdString(layers.front()),
                        "layer/update_ratio/" + QString::fromStdString(layers.back())});
        own->plot()->setLogarithmic(Qt::Vertical, true);
        saveBoth(driver, "train-own");
        tabs->setCurrentIndex(0);

        spec.run.learningRate = 1e30;
        driver.project().edit("Far too much", spec);
        QVERIFY(driver.click("pauseButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Failed, kPatienceMs);
        saveBoth(driver, "train-failed");
        for (auto* fold : driver.trainPanel().findChildren<Fold*>())
            if (fold->isVisible()) fold->setOpen(true);
        saveBoth(driver, "train-failed-details");
        QVERIFY(driver.click("rollBackButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        saveBoth(driver, "train-rolled-back");
    }

    /// Nothing is infinite, and nothing is learned any more.
    void aLossThatRunsAwayIsPainted() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 1'000'000;
        spec.run.evaluateEvery = 100;
        spec.run.keepBest = 3;
        spec.run.clipNorm = 1;
        spec.run.schedule = {"constant", {}};
        driver.project().edit("Train long", spec);
        QVERIFY(driver.goTo("train"));
        driver.window().docks().show("layers");
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 500, kPatienceMs);
        spec.run.learningRate = 0.5;
        driver.project().edit("Too much", spec);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Failed, kPatienceMs);
        saveBoth(driver, "train-runaway");
        spec.run.learningRate = 0.03;
        spec.run.steps = driver.run().step() + 400;
        spec.run.divergenceGuard = false;
        driver.project().edit("A bit too much", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.click("rollBackButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        saveBoth(driver, "layers-dead");
    }

private:
    static void saveBoth(WindowDriver& driver, const QString& name) {
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            QVERIFY(
                QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs));
            for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
            QVERIFY(driver.window().grab().save(pictureFile(name + '-' + themeKey(mode))));
        }
        driver.window().appearance().setTheme(ThemeMode::Light);
    }
};

QTEST_MAIN(TrainScreensTest)
#include "train_screens_test.moc"
