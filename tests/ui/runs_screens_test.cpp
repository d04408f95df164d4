// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QTableView>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/checkpoints/checkpoint_diff_dialog.h"
#include "ui/docks/runs/run_overlay.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/plots/plot_cursor.h"
#include "ui/plots/plot_view.h"
#include "ui/run/run_history.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

}  // namespace

/// Pictures of the docks and dialogs around runs, for people to look at.
class RunsScreensTest : public QObject {
    Q_OBJECT

private slots:
    void runsProblemsAndDialogs() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        for (const double rate : {0.002, 0.01, 0.0005}) {
            TrainingSpec spec = driver.project().spec();
            spec.run.learningRate = rate;
            spec.run.epochs = 4;
            driver.project().edit("Rate", spec);
            QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
            driver.window().work().training.startOver()->isEnabled()
                ? driver.window().work().training.startOver()->trigger()
                : driver.window().work().training.start()->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        }
        RunHistory& history = driver.window().work().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->size(), size_t{3}, kPatienceMs);
        history.label({2}, [](StoredRun& run) {
            run.isPinned = true;
            run.notes = "fast, but restless";
        });
        history.label({1}, [](StoredRun& run) { run.group = "rates/high"; });
        history.label({3}, [](StoredRun& run) { run.group = "rates"; });
        driver.window().docks().apply(LayoutPreset::Train);
        driver.window().docks().show("runs");
        auto* dock = driver.window().findChild<RunsDock*>();
        QTRY_COMPARE_WITH_TIMEOUT(dock->model()->rowCount(), 3, kPatienceMs);
        waitForTasks(driver);
        driver.window().findChild<QTableView*>("runTable")->selectAll();
        QTRY_COMPARE_WITH_TIMEOUT(dock->overlay()->runCount(), size_t{3}, kPatienceMs);
        dock->overlay()->cursor()->setX(60);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            save(driver, "runs-" + themeKey(mode));
            auto* view = dock->findChild<QComboBox*>("runView");
            view->setCurrentIndex(1);
            save(driver, "runs-columns-" + themeKey(mode));
            view->setCurrentIndex(2);
            save(driver, "runs-parallel-" + themeKey(mode));
            view->setCurrentIndex(0);
        }
        driver.window().docks().apply(LayoutPreset::Inspect);
        QVERIFY(driver.goTo("model"));
        save(driver, "problems-dark");
        driver.window().appearance().setTheme(ThemeMode::Light);
        save(driver, "problems-light");
        const QString folder = history.folderOf(*history.find(1));
        auto* diff = new CheckpointDiffDialog(
            CheckpointSide::file(folder + "/best.ckpt"),
            CheckpointSide::file(history.folderOf(*history.find(2)) + "/last.ckpt"),
            *driver.project().tasks(), &driver.window());
        diff->open();
        QTRY_VERIFY_WITH_TIMEOUT(diff->isLoaded(), kPatienceMs);
        QVERIFY(diff->grab().save(pictureFile("checkpoint-diff")));
        diff->close();
        for (const char* command : {"help.shortcuts", "tools.palette"}) {
            driver.window().work().commands.action(command)->trigger();
            for (auto* dialog : driver.window().findChildren<QDialog*>()) {
                if (!dialog->isVisible()) continue;
                QVERIFY(dialog->grab().save(pictureFile(command)));
                dialog->close();
            }
        }
    }

private:
    static void waitForTasks(WindowDriver& driver) {
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    }

    static void save(WindowDriver& driver, const QString& name) {
        waitForTasks(driver);
        QTest::qWait(100);
        driver.window().grab().toImage().save(pictureFile(name));
    }
};

QTEST_MAIN(RunsScreensTest)
#include "runs_screens_test.moc"
