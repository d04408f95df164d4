// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QCheckBox>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include "engine/training/projects/lesson_curve.h"
#include "tests/ui/window_driver.h"
#include "ui/checks/problem_list.h"
#include "ui/docks/dock.h"
#include "ui/docks/lesson/lesson_dock.h"
#include "ui/docks/lesson/lesson_progress.h"
#include "ui/docks/lesson/lesson_step_card.h"
#include "ui/panels/start/lesson_card.h"
#include "ui/panels/train/expected_curve.h"
#include "ui/panels/train/train_plots.h"
#include "ui/widgets/card_grid.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

LessonDock& lessonDock(WindowDriver& driver) { return *driver.window().findChild<LessonDock*>(); }

QDockWidget& frame(WindowDriver& driver) {
    return *driver.window().findChild<QDockWidget*>("dock-lesson");
}

/// Clicks the fix of the first problem with this code whose label has this beginning.
bool mend(WindowDriver& driver, const std::string& code, const QString& label) {
    for (const ListedProblem& problem : problemsOf(driver.project())) {
        if (problem.finding.code != code) continue;
        for (const ProblemFix& fix : fixesOf(problem.finding, driver.project())) {
            if (!fix.label.startsWith(label)) continue;
            fix.apply();
            return QTest::qWaitFor([&] { return !driver.project().isPreparing(); }, kPatienceMs);
        }
    }
    return false;
}

}  // namespace

class LessonDockTest : public QObject {
    Q_OBJECT

private slots:
    void ticksAreKept() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
        LessonProgress progress(settings);
        QSignalSpy changes(&progress, &LessonProgress::changed);
        QCOMPARE(progress.currentStep("iris", 3), 0);
        progress.setDone("iris", 0, true);
        progress.setDone("iris", 2, true);
        progress.setDone("iris", 2, true);
        QCOMPARE(changes.size(), 2);
        QCOMPARE(progress.currentStep("iris", 3), 1);
        QCOMPARE(progress.doneCount("iris", 3), 2);
        QCOMPARE(progress.doneCount("digits", 3), 0);
        QCOMPARE(LessonProgress(settings).doneCount("iris", 3), 2);
        // A later version of the lesson may have fewer steps.
        QCOMPARE(progress.doneCount("iris", 2), 1);
        progress.setDone("iris", 0, false);
        progress.setDone("iris", 1, true);
        QCOMPARE(progress.currentStep("iris", 3), 0);
    }

    /// As on the command line: temper-studio lesson:iris.
    void aLessonIsOpenedByItsName_data() {
        QTest::addColumn<QString>("path");
        for (const char* path : {"lesson:iris", "lesson:iris/model.onnx"})
            QTest::newRow(path) << path;
    }

    void aLessonIsOpenedByItsName() {
        QFETCH(QString, path);
        WindowDriver driver;
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(driver.project().lesson()->name, std::string("iris"));
    }

    void anUnknownLessonIsRefused() {
        WindowDriver driver;
        driver.window().files().open("lesson:nowhere");
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("nowhere"), kPatienceMs);
        QVERIFY(driver.project().model() == nullptr);
    }

    void everyStepLeadsToAPlaceThatExists() {
        QStringList pageIds, dockIds;
        for (const PanelInfo& panel : panels()) pageIds << panel.id;
        for (const DockInfo& dock : docks()) dockIds << dock.id;
        for (const Lesson& lesson : bundledLessons())
            for (const LessonStep& step : lesson.steps)
                QVERIFY2(step.page.empty() ? dockIds.contains(text(step.dock))
                                           : pageIds.contains(text(step.page)),
                         step.title.c_str());
    }

    void theDockComesWithALessonAndGoesWithIt() {
        WindowDriver driver;
        QVERIFY(!frame(driver).isVisible());
        QVERIFY(driver.openLesson("spirals"));
        QVERIFY(frame(driver).isVisible());
        QCOMPARE(lessonDock(driver).steps().size(), findLesson("spirals").steps.size());
        QVERIFY(lessonDock(driver).findChild<QLabel*>("lessonLicence")->text().contains("CC0"));
        for (const PanelInfo& panel : panels()) {
            QVERIFY(driver.goTo(panel.id));
            QVERIFY2(frame(driver).isVisible(), qPrintable(panel.id));
        }
        QVERIFY(driver.goTo("start"));
        QVERIFY(!frame(driver).isVisible());
        driver.window().work().commands.action("file.close")->trigger();
        QVERIFY(driver.project().model() == nullptr);
        driver.window().docks().show("lesson");
        driver.window().pages().show("model");
        QVERIFY(frame(driver).isVisible());
        auto* list = driver.window().findChild<QListWidget*>("lessonList");
        QVERIFY(list->isVisible());
        QCOMPARE(list->count(), static_cast<int>(bundledLessons().size()));
        emit list->itemActivated(list->item(3));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().lesson().has_value(), kPatienceMs);
        QCOMPARE(driver.project().lesson()->name, std::string("iris"));
        QVERIFY(!list->isVisible());
    }

    void stepsAreTickedAndLeadToTheirPages() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        LessonDock& dock = lessonDock(driver);
        QVERIFY(dock.steps()[0]->isCurrent());
        QVERIFY(driver.click("stepOpen-1"));
        QCOMPARE(driver.window().pages().current(), QString("data"));
        QVERIFY(dock.steps()[0]->isDone() && !dock.steps()[0]->isCurrent());
        QVERIFY(dock.steps()[1]->isCurrent());
        QVERIFY(driver.click("stepDone-2"));
        QVERIFY(dock.steps()[2]->isCurrent());
        QVERIFY(dock.findChild<QLabel*>("lessonCount")->text().startsWith("2 of 6"));
        QVERIFY(driver.openLesson("digits-transfer"));
        QVERIFY(!lessonDock(driver).steps()[0]->isDone());
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(lessonDock(driver).steps()[1]->isDone());
        QVERIFY(lessonDock(driver).steps()[2]->isCurrent());
    }

    void theNextLessonIsOneClickAway() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("xor"));
        QVERIFY(driver.click("nextLesson"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().lesson()->name, std::string("sine"),
                                  kPatienceMs);
        QVERIFY(driver.openLesson("exploding"));
        QVERIFY(!driver.window().findChild<QPushButton*>("nextLesson")->isVisible());
    }

    void resetBringsTheChoicesBackAndCanBeUndone() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const TrainingSpec shipped = findLesson("iris").spec;
        QVERIFY(driver.project().spec() == shipped);
        auto* button = driver.window().findChild<QPushButton*>("resetLesson");
        QVERIFY(!button->isEnabled());
        TrainingSpec spec = shipped;
        spec.run.learningRate = 0.5;
        spec.run.data = "lesson:iris/test.csv?target=species";
        spec.headClasses = 5;
        driver.project().edit("much", spec);
        QVERIFY(QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs));
        QVERIFY(button->isEnabled());
        QVERIFY(driver.click("resetLesson"));
        QVERIFY(driver.project().spec() == shipped);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(driver.project().data()->training()->size(), int64_t{120});
        QVERIFY(!button->isEnabled());
        driver.project().undoStack()->undo();
        QVERIFY(driver.project().spec() == spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
    }

    void theExpectedCurveIsShownWithTheChoicesOfTheLesson() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const PlotView& loss = *driver.trainPanel().plots()->loss();
        QCOMPARE(loss.seriesCount(), 3);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QCOMPARE(loss.seriesCount(), 4);
        QCOMPARE(loss.pointCount(3), static_cast<int>(expectedCurve(findLesson("iris")).size()));
        TrainingSpec spec = driver.project().spec();
        spec.run.learningRate *= 3;
        spec.run.epochs = 2;
        driver.project().edit("another rate", spec);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().totalSteps(), int64_t{16}, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QCOMPARE(loss.seriesCount(), 3);
    }

    void theBrokenLessonIsMendedInTheProblemsDock() {
        WindowDriver driver;
        QVERIFY(driver.click("open-broken"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation() && !driver.project().isPreparing(),
                                 kPatienceMs);
        QVERIFY(!driver.project().isReadyToTrain());
        QVERIFY(expectedCurveOf(driver.project()).points().size() > 50);  // the goal
        QVERIFY(mend(driver, "G002", "Pass the gradient straight through"));
        QVERIFY(mend(driver, "W005", "Freeze these 2 parameters"));
        QVERIFY(driver.project().isReadyToTrain());
        QVERIFY(expectedCurveOf(driver.project()).points().size() > 50);
    }

    void cardsOfLessonsWrapWithTheWidth() {
        WindowDriver driver;
        auto* grid = driver.window().pages().page("start")->findChild<CardGrid*>();
        const auto cards = driver.window().findChildren<LessonCard*>();
        QCOMPARE(cards.size(), static_cast<qsizetype>(bundledLessons().size()));
        std::vector<int> columns;
        for (const int width : {2200, 1400, 1024, 640}) {
            driver.window().resize(width, 700);
            QCoreApplication::processEvents();
            columns.push_back(grid->columns());
            for (const auto* area :
                 driver.window().pages().page("start")->findChildren<QScrollArea*>())
                QVERIFY2(area->horizontalScrollBar()->maximum() == 0,
                         qPrintable(QString::number(width)));
            for (const auto* card : cards)
                QVERIFY2(card->geometry().right() <= grid->width(), qPrintable(card->objectName()));
        }
        QVERIFY(std::is_sorted(columns.rbegin(), columns.rend()));
        QCOMPARE(columns.front(), 5);
        QVERIFY(columns.back() >= 2 && columns.back() <= 3);
    }

    void lessonsAreOpenedByTheKeyboard() {
        WindowDriver driver;
        auto* first = driver.window().findChild<QPushButton*>("open-spirals");
        first->setFocus();
        QTest::keyClick(driver.window().focusWidget(), Qt::Key_Tab);
        QCOMPARE(driver.window().focusWidget()->objectName(), QString("open-xor"));
        QTest::keyClick(driver.window().focusWidget(), Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().lesson().has_value(), kPatienceMs);
        QCOMPARE(driver.project().lesson()->name, std::string("xor"));
    }
};

QTEST_MAIN(LessonDockTest)
#include "lesson_test.moc"
