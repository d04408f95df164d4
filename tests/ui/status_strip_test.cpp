// SPDX-License-Identifier: GPL-3.0-or-later
#include <qcustomplot.h>
#include <QAction>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QProgressBar>
#include <QStatusBar>
#include <QStyle>
#include <QTest>
#include <QToolButton>

#include "tests/ui/busy_workers.h"
#include "tests/ui/typing.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/dock.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/translation/languages.h"
#include "ui/window/recent_menu.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

QString label(WindowDriver& driver, const char* name) {
    const auto* found = driver.window().findChild<QLabel*>(QLatin1String(name));
    return found->isVisible() ? found->text() : QString();
}

QPushButton* cancelButton(WindowDriver& driver) {
    return driver.window().findChild<QPushButton*>("statusCancel");
}

/// A job that runs until it is cancelled.
int startLongJob(TaskRunner& tasks, QStringList& heard) {
    return tasks.run(
        "Long job", "The job failed",
        [](const std::stop_token& stop) {
            while (!stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return true;
        },
        [&heard](bool) { heard << "done"; },
        [&heard](const Problem& problem) {
            heard << (problem.isCancelled ? "cancelled" : "failed");
        });
}

QAction* entry(RecentMenu& menu, const QString& path) {
    emit menu.aboutToShow();
    for (QAction* action : menu.actions())
        if (action->text() == path) return action;
    return nullptr;
}

}  // namespace

/// The window's frame: status strip, recent files, colours of the desktop, motion.
class StatusStripTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { installLanguage(*qApp, QString()); }

    /// What has no room is left out.
    void nothingIsCutBesideARun() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 100'000;
        driver.project().edit("Epochs", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.window().work().commands.action("training.start")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 0, kPatienceMs);
        driver.window().work().commands.action("training.pause")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Paused, kPatienceMs);
        bool wasLeftOut = false, wasShown = false;
        for (int width = 1000; width <= 2000; width += 50) {
            driver.window().resize(width, 800);
            QCoreApplication::processEvents();
            for (const char* name : {"statusModel", "statusParameters", "statusLoad"}) {
                const auto* label = driver.window().findChild<QLabel*>(name);
                (label->isVisible() ? wasShown : wasLeftOut) = true;
                const int needed = label->fontMetrics().horizontalAdvance(label->text());
                QVERIFY2(!label->isVisible() || label->contentsRect().width() >= needed,
                         qPrintable(QString("%1 at %2").arg(name).arg(width)));
            }
        }
        QVERIFY(wasLeftOut && wasShown);
        driver.window().work().training.stop()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!driver.run().isActive(), kPatienceMs);
    }

    void theLastItemHasAMargin_data() {
        QTest::addColumn<QString>("language");
        for (const char* each : {"en", "de"}) QTest::newRow(each) << each;
    }
    void theLastItemHasAMargin() {
        QFETCH(QString, language);
        installLanguage(*qApp, language);
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        const auto* bar = driver.window().findChild<QStatusBar*>();
        const int margin = bar->findChild<QLabel*>("statusLoad")->contentsMargins().left();
        for (int width = 1000; width <= 1600; width += 40) {
            driver.window().resize(width, 800);
            QCoreApplication::processEvents();
            for (const auto* item : bar->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
                QVERIFY2(!item->isVisible() || item->geometry().right() < bar->width() - margin,
                         qPrintable(QString("%1 at %2").arg(item->objectName()).arg(width)));
        }
    }

    void itNamesParametersMemoryAndProcessor() {
        WindowDriver driver;
        QVERIFY(label(driver, "statusParameters").isEmpty());
        QVERIFY(driver.openLesson("iris"));
        QVERIFY2(label(driver, "statusParameters").endsWith("train · 0 frozen"),
                 qPrintable(label(driver, "statusParameters")));
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.frozen = {"*"};
        driver.project().edit("Freeze", spec);
        QVERIFY2(label(driver, "statusParameters").startsWith("0 train"),
                 qPrintable(label(driver, "statusParameters")));
        QVERIFY2(label(driver, "statusLoad").contains("CPU"),
                 qPrintable(label(driver, "statusLoad")));
    }

    void docksHaveDifferentIcons() {
        QStringList icons;
        for (const DockInfo& dock : docks()) {
            QVERIFY2(!themedIcon(dock.icon).isNull(), qPrintable(dock.icon));
            QVERIFY2(!icons.contains(dock.icon), qPrintable(dock.icon));
            icons << dock.icon;
        }
    }

    void anIconIsAFile() {
        WindowDriver driver;
        const QStringList files =
            QDir(TEMPER_SOURCE_DIR "/resources/icons").entryList({"*.svg"}, QDir::Files);
        QVERIFY(!files.isEmpty());
        QCOMPARE(QDir(":/icons").entryList(QDir::Files), files);
        for (const QString& file : files)
            QVERIFY2(!themedIcon(file.chopped(4)).isNull(), qPrintable(file));
    }

    void buttonsOfDocksOfOtherPagesAreNotPressed() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const auto button = [&](const char* name) {
            return driver.window().findChild<QToolButton*>(QLatin1String(name));
        };
        const auto ground = [&](const char* name) {
            const QPoint place(4, button(name)->height() / 2);
            MainWindow& window = driver.window();
            return window.grab().toImage().pixelColor(button(name)->mapTo(&window, place));
        };
        driver.window().docks().setWanted("log", false);
        driver.window().docks().setWanted("inspector", true);
        QVERIFY(driver.goTo("model"));
        QVERIFY(button("toggle-inspector")->isEnabled());
        QVERIFY(ground("toggle-inspector") != ground("toggle-log"));
        QVERIFY(driver.goTo("data"));
        QVERIFY(!button("toggle-inspector")->isEnabled());
        QCOMPARE(ground("toggle-inspector"), ground("toggle-log"));
        QCOMPARE(button("toggle-inspector")->toolTip(), QString("Open, but not on this page"));
        QVERIFY(driver.goTo("model"));
        QVERIFY(button("toggle-inspector")->toolTip().startsWith("Inspector"));
    }

    void aRunShowsItsProgressAndIsStopped() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 500;
        driver.project().edit("Long", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.window().work().training.start()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(label(driver, "statusWork").contains("left"), kPatienceMs);
        QVERIFY(label(driver, "statusWork").startsWith("Step "));
        const auto* progress = driver.window().findChild<QProgressBar*>("statusProgress");
        QVERIFY(progress->isVisible() && progress->maximum() > 0);
        QCOMPARE(cancelButton(driver)->text(), QString("Stop"));
        QVERIFY(driver.click("statusCancel"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!cancelButton(driver)->isVisible(), kPatienceMs);
    }

    void aLongJobIsCancelled() {
        WindowDriver driver;
        QStringList heard;
        TaskRunner& tasks = *driver.project().tasks();
        tasks.letCancel(startLongJob(tasks, heard));
        QVERIFY(!cancelButton(driver)->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(cancelButton(driver)->isVisible(), kPatienceMs);
        QCOMPARE(label(driver, "statusWork"), QString("Long job…"));
        QVERIFY(driver.click("statusCancel"));
        QCOMPARE(heard, QStringList{"cancelled"});
        QVERIFY(!cancelButton(driver)->isVisible());
        QVERIFY(!tasks.isBusy());
    }

    void aJobThatHasToEndHasNoButton() {
        WindowDriver driver;
        QStringList heard;
        TaskRunner& tasks = *driver.project().tasks();
        const int id = startLongJob(tasks, heard);
        QTest::qWait(1300);
        QVERIFY(!cancelButton(driver)->isVisible());
        tasks.cancel(id);
    }

    void openingIsCancelledSilently() {
        WindowDriver driver;
        QStringList heard;
        TaskRunner& tasks = *driver.project().tasks();
        // Both workers are busy: newly opened files wait for them.
        const int first = startLongJob(tasks, heard), second = startLongJob(tasks, heard);
        driver.window().files().openLesson("iris");
        QTRY_VERIFY_WITH_TIMEOUT(cancelButton(driver)->isVisible(), kPatienceMs);
        QVERIFY(label(driver, "statusWork").contains("iris"));
        QVERIFY(driver.click("statusCancel"));
        tasks.cancel(first);
        tasks.cancel(second);
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        QVERIFY(driver.message().isEmpty());
        QVERIFY(driver.openLesson("iris"));
    }

    void preparingThatWasCancelledIsBegunAgain() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TaskRunner& tasks = *driver.project().tasks();
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        BusyWorkers busy(tasks);  // the preparation waits for them
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.optimizer = {"sgd", {}};
        driver.project().edit("Other optimizer", spec);
        QTRY_VERIFY_WITH_TIMEOUT(busy.delay("Preparing training"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(cancelButton(driver)->isVisible(), kPatienceMs);
        QVERIFY(label(driver, "statusWork").startsWith("Preparing training"));
        QAction& start = *driver.window().work().training.start();
        QVERIFY(start.text().startsWith("Preparing…"));
        QVERIFY(driver.click("statusCancel"));
        QCOMPARE(start.text(), QString("Preparing was cancelled"));
        busy.release();
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        QVERIFY(!driver.project().preparation());
        start.trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(start.text(), QString("Start training"));
        QCOMPARE(driver.run().state(), RunState::Idle);
    }

    /// The choices are those of the open model again, wherever they are in the undo stack.
    void aChangeOfTheModelThatWasCancelledIsTakenBack_data() {
        QTest::addColumn<QStringList>("changes");
        QTest::addColumn<int>("furtherSteps");
        const auto row = [](const char* name, const QStringList& changes, int furtherSteps = 0) {
            QTest::newRow(name) << changes << furtherSteps;
        };
        row("an edit", {"units"});
        row("an edit and another choice", {"units", "epochs"});
        row("an undo", {"undo"});
        row("undos beyond another choice", {"undo", "undo", "undo"});
        row("a redo", {"undo", "wait", "redo"});
        row("an undo and another choice", {"undo", "epochs"}, 1);
    }
    void aChangeOfTheModelThatWasCancelledIsTakenBack() {
        QFETCH(QStringList, changes);
        QFETCH(int, furtherSteps);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        StudioProject& project = driver.project();
        QUndoStack& stack = *project.undoStack();
        TaskRunner& tasks = *project.tasks();
        const auto chooseUnits = [&project](int64_t units) {
            TrainingSpec spec = project.spec();
            spec.hiddenUnits = std::vector<int64_t>{units};
            project.edit("Units", spec);
        };
        const auto chooseEpochs = [&project](int64_t epochs) {
            TrainingSpec spec = project.spec();
            spec.run.epochs = epochs;
            project.edit("Epochs", spec);
        };
        const auto isReady = [&] { return project.isReadyToTrain() && !tasks.isBusy(); };
        chooseUnits(3);
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
        chooseEpochs(7);
        chooseUnits(4);
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
        if (changes.contains("wait")) {
            stack.undo();
            changes = changes.mid(2);
            QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
        }
        const TrainingSpec before = project.spec();
        const auto model = project.model();
        const int index = stack.index();
        BusyWorkers busy(tasks);
        for (const QString& change : changes) {
            if (change == "undo") stack.undo();
            if (change == "redo") stack.redo();
            if (change == "units") chooseUnits(5);
            if (change == "epochs") chooseEpochs(9);
        }
        QVERIFY(project.spec() != before);
        QTRY_VERIFY_WITH_TIMEOUT(busy.delay("Changing the model"), kPatienceMs);
        tasks.interrupt(tasks.shown().id);
        QCOMPARE(project.spec(), before);
        QCOMPARE(stack.index(), index + furtherSteps);
        busy.release();
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
        QVERIFY(project.model() == model);
        QVERIFY2(!driver.message().contains("could not be changed"), qPrintable(driver.message()));
        stack.undo();
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
        QVERIFY(project.spec().hiddenUnits == std::vector<int64_t>{3});
    }

    void aFileOpenedInVainLeavesChoicesAndModelTogether_data() {
        QTest::addColumn<bool>("isCancelled");
        QTest::newRow("can't be read") << false;
        QTest::newRow("cancelled") << true;
    }
    /// While the model is being changed.
    void aFileOpenedInVainLeavesChoicesAndModelTogether() {
        QFETCH(bool, isCancelled);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        StudioProject& project = driver.project();
        TaskRunner& tasks = *project.tasks();
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        const TrainingSpec before = project.spec();
        const auto model = project.model();
        QFile bad(file(driver, 1));
        QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("no model") > 0);
        bad.close();
        BusyWorkers busy(tasks);
        TrainingSpec changed = before;
        changed.hiddenUnits = std::vector<int64_t>{5};
        project.edit("Units", changed);
        QTRY_VERIFY_WITH_TIMEOUT(busy.delay("Changing the model"), kPatienceMs);
        project.openFile(bad.fileName());
        if (isCancelled) tasks.interrupt(tasks.shown().id);
        busy.release();
        QTRY_VERIFY_WITH_TIMEOUT(project.isReadyToTrain() && !tasks.isBusy(), kPatienceMs);
        QCOMPARE(project.spec(), isCancelled ? before : changed);
        QCOMPARE(project.model() == model, isCancelled);
    }

    void aNewHeadThatWasCancelledIsNotShown() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("parameters"));
        TaskRunner& tasks = *driver.project().tasks();
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        auto* classes = driver.window().findChild<QLineEdit*>("headClasses");
        QCOMPARE(classes->text(), QString("3"));
        BusyWorkers busy(tasks);
        type(classes, "5");
        QTRY_VERIFY_WITH_TIMEOUT(busy.delay("Changing the model"), kPatienceMs);
        tasks.interrupt(tasks.shown().id);
        QCOMPARE(classes->text(), QString("3"));
    }

    void aStoppedReadGivesNoModel() {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!loadForwardModel(findLesson("iris"), standardOps(), {}, stop.get_token()));
    }

    void pinnedFilesComeFirstAndStay() {
        WindowDriver driver;
        RecentFiles& recent = driver.window().work().recent;
        for (int i = 0; i < 3; ++i) recent.add(file(driver, i));
        auto* list = driver.window().findChild<QListWidget*>("recentFiles");
        QCOMPARE(list->count(), 3);
        QVERIFY(!driver.window().findChild<QToolButton*>("pinFile")->isEnabled());
        list->setCurrentRow(2);
        QVERIFY(driver.click("pinFile"));
        QCOMPARE(recent.paths().front(), file(driver, 0));
        QCOMPARE(list->currentItem()->data(Qt::UserRole).toString(), file(driver, 0));
        for (int i = 3; i < 40; ++i) recent.add(file(driver, i));
        QCOMPARE(recent.paths().size(), RecentFiles::kLimit + 1);
        QCOMPARE(recent.paths().front(), file(driver, 0));
        recent.clear();
        QCOMPARE(recent.paths(), QStringList{file(driver, 0)});
        list->setCurrentRow(0);
        QVERIFY(driver.click("pinFile"));
        QVERIFY(!recent.isPinned(file(driver, 0)));
        QVERIFY(driver.click("forgetFile"));
        QVERIFY(recent.paths().isEmpty());
    }

    void missingFilesAreGreyInTheMenu() {
        WindowDriver driver;
        RecentFiles& recent = driver.window().work().recent;
        recent.add(file(driver, 1));
        QFile there(file(driver, 2));
        QVERIFY(there.open(QIODevice::WriteOnly));
        recent.add(file(driver, 2));
        recent.setPinned(file(driver, 1), true);
        auto* menu = driver.window().findChild<RecentMenu*>();
        QVERIFY(!entry(*menu, file(driver, 1))->isEnabled());
        QVERIFY(!entry(*menu, file(driver, 1))->icon().isNull());
        QVERIFY(entry(*menu, file(driver, 2))->isEnabled());
        QVERIFY(entry(*menu, file(driver, 2))->icon().isNull());
    }

    void theDesktopsColoursAreFollowed() {
        WindowDriver driver;
        driver.window().appearance().setTheme(ThemeMode::System);
        driver.window().appearance().setSystemPalette(themePalette(darkColors()));
        QCOMPARE(&colorsOf(QApplication::palette()), &darkColors());
        // The desktop reports a change; here it has a light palette.
        QEvent changed(QEvent::ThemeChange);
        QApplication::sendEvent(&driver.window(), &changed);
        QCOMPARE(&colorsOf(QApplication::palette()), &lightColors());
        driver.window().appearance().setTheme(ThemeMode::Dark);
        QApplication::sendEvent(&driver.window(), &changed);
        QCOMPARE(&colorsOf(QApplication::palette()), &darkColors());
        driver.window().appearance().setTheme(ThemeMode::Light);
    }

    void nothingMovesIfReducedMotionIsWanted() {
        WindowDriver driver;
        QAction* calm = driver.window().work().commands.action("theme.calm");
        calm->setChecked(true);
        QVERIFY(!driver.window().isAnimated());
        QCOMPARE(driver.window().style()->styleHint(QStyle::SH_Widget_Animation_Duration), 0);
        calm->setChecked(false);
        QVERIFY(driver.window().isAnimated());
        QVERIFY(driver.window().style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0);
    }

    void plotsAreAsSharpAsTheirScreen() {
        WindowDriver driver;
        QVERIFY(driver.goTo("train"));
        auto* plot = driver.trainPanel().lossPlot()->findChild<QCustomPlot*>("canvas");
        const double ratio = plot->devicePixelRatioF();
        plot->setBufferDevicePixelRatio(3 * ratio);  // of the screen it belongs to
        plot->grab();
        QCOMPARE(plot->bufferDevicePixelRatio(), ratio);
    }

    void theyArePainted_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<ThemeMode>("theme");
        QTest::newRow("frame-light") << QString() << ThemeMode::Light;
        QTest::newRow("frame-de-dark") << "de" << ThemeMode::Dark;
    }
    void theyArePainted() {
        QFETCH(QString, language);
        QFETCH(ThemeMode, theme);
        installLanguage(*qApp, language);
        WindowDriver driver;
        driver.window().appearance().setTheme(theme);
        driver.window().resize(1280, 800);
        for (int i = 0; i < 3; ++i) driver.window().work().recent.add(file(driver, i));
        driver.window().work().recent.setPinned(file(driver, 1), true);
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 500;
        driver.project().edit("Long", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        driver.window().work().training.start()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 30, kPatienceMs);
        QTest::qWait(1500);
        save(driver, "train");
        driver.window().work().training.stopNow()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!driver.run().isActive(), kPatienceMs);
        driver.window().work().commands.action("file.close")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(
            driver.window().findChild<QListWidget*>("untitledDocuments")->count(), 1, kPatienceMs);
        driver.window().findChild<QListWidget*>("recentFiles")->setCurrentRow(0);
        save(driver, "start");
    }

private:
    static void save(WindowDriver& driver, const QString& name) {
        QCoreApplication::processEvents();
        const QString file = pictureFile(QString(QTest::currentDataTag()) + '-' + name);
        QVERIFY(driver.window().grab().save(file));
    }

    static QString file(const WindowDriver& driver, int number) {
        return driver.filePath(QStringLiteral("model-%1.onnx").arg(number));
    }
};

QTEST_MAIN(StatusStripTest)
#include "status_strip_test.moc"
