// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QScrollArea>
#include <QSlider>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/docks/lesson/lesson_dock.h"
#include "ui/docks/lesson/lesson_step_card.h"
#include "ui/graph_view/graph_pane.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/model/model_panel.h"
#include "ui/panels/train/net/net_canvas.h"
#include "ui/panels/train/net/net_view.h"
#include "ui/widgets/confusion_view.h"
#include "ui/window/presenter_mode.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;
/// The space on a projector of 1280 x 800 pixels at 200 %, without the window frame.
const QSize kProjector(640, 370);

void settle() {
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
}

bool isIdle(WindowDriver& driver) {
    const bool idle = QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
    settle();
    return idle;
}

/// Scrolls until the place in the widget can be seen, as a person does with the wheel; whether it
/// is inside the window then.
bool bringsIntoView(WindowDriver& driver, QWidget* widget, QPoint place) {
    if (widget == nullptr || !widget->isVisible()) return false;
    for (QWidget* above = widget->parentWidget(); above != nullptr; above = above->parentWidget()) {
        auto* scroll = qobject_cast<QScrollArea*>(above);
        if (scroll == nullptr || scroll->widget() == nullptr) continue;
        const QPoint inside = widget->mapTo(scroll->widget(), place);
        scroll->ensureVisible(inside.x(), inside.y(), 20, 20);
    }
    settle();
    return driver.window().rect().contains(widget->mapTo(&driver.window(), place)) &&
           widget->visibleRegion().contains(place);
}

bool clickAt(WindowDriver& driver, QWidget* widget, QPoint place) {
    if (!bringsIntoView(driver, widget, place)) return false;
    QTest::mouseClick(widget, Qt::LeftButton, {}, place);
    settle();
    return true;
}

bool clickOn(WindowDriver& driver, QWidget* widget) {
    return widget != nullptr && widget->isEnabled() &&
           clickAt(driver, widget, widget->rect().center());
}

bool clickOn(WindowDriver& driver, const QString& name) {
    for (auto* button : driver.window().findChildren<QAbstractButton*>(name))
        if (button->isVisible()) return clickOn(driver, button);
    return false;
}

bool opensTab(WindowDriver& driver, const QString& tabs, const QString& title) {
    auto* widget = driver.window().findChild<QTabWidget*>(tabs);
    for (int tab = 0; tab < widget->count(); ++tab)
        if (widget->tabText(tab) == title)
            return clickAt(driver, widget->tabBar(), widget->tabBar()->tabRect(tab).center());
    return false;
}

/// By the tab, if the dock is behind another one.
bool opensDock(WindowDriver& driver, const QString& title) {
    for (auto* bar : driver.window().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        for (int tab = 0; tab < bar->count(); ++tab)
            if (bar->tabText(tab) == title) return clickAt(driver, bar, bar->tabRect(tab).center());
    return false;
}

/// "x" for each step that is done.
QString ticks(WindowDriver& driver) {
    QString done;
    for (const LessonStepCard* card : driver.window().findChild<LessonDock*>()->steps())
        done += card->isDone() ? 'x' : '.';
    return done;
}

}  // namespace

/// A lesson before a class, on a projector: everything that is clicked can be seen there.
class TeacherJourneyTest : public QObject {
    Q_OBJECT

private slots:
    void aLessonOnAProjector() {
        WindowDriver driver;
        MainWindow& window = driver.window();
        window.resize(kProjector);
        settle();
        QVERIFY(clickOn(driver, "open-spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(isIdle(driver));
        QCOMPARE(window.size(), kProjector);
        window.docks().show("lesson");
        settle();
        QCOMPARE(ticks(driver), QString("......."));

        auto* dock = window.findChild<LessonDock*>();
        QVERIFY2(clickOn(driver, dock->steps()[0]->findChild<QPushButton*>()), "Go to Data");
        QCOMPARE(window.pages().current(), QString("data"));
        QCOMPARE(ticks(driver), QString("x......"));

        QVERIFY2(clickOn(driver, dock->steps()[1]->findChild<QPushButton*>()), "Go to Model");
        QCOMPARE(window.pages().current(), QString("model"));
        GraphView* graph = qobject_cast<ModelPanel*>(window.pages().page("model"))->graph()->view();
        QTRY_VERIFY_WITH_TIMEOUT(graph->drawing() != nullptr, kPatienceMs);
        graph->setFocus();
        QTest::keyClick(graph, Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(ticks(driver), QString("xx....."), kPatienceMs);

        trainSlowlyThenFast(driver);
        if (QTest::currentTestFailed()) return;
        QCOMPARE(ticks(driver), QString("xxx...."));

        QVERIFY(clickOn(driver, "stage-evaluate"));
        QVERIFY(clickOn(driver, "evaluateButton"));
        auto* confusion = window.findChild<ConfusionView*>("evaluateConfusion");
        QTRY_VERIFY_WITH_TIMEOUT(confusion->isVisible(), kPatienceMs);
        QVERIFY(isIdle(driver));
        QVERIFY(clickAt(driver, confusion, confusion->cell(0, 0).center().toPoint()));
        QTRY_COMPARE_WITH_TIMEOUT(ticks(driver), QString("xxxx..."), kPatienceMs);
        QCOMPARE(window.size(), kProjector);
        QVERIFY(window.grab().save(pictureFile("teacher-evaluate")));
    }

private:
    static void trainSlowlyThenFast(WindowDriver& driver) {
        MainWindow& window = driver.window();
        auto* dock = window.findChild<LessonDock*>();
        if (dock->visibleRegion().isEmpty()) QVERIFY(opensDock(driver, "Lesson"));
        QVERIFY2(clickOn(driver, dock->steps()[2]->findChild<QPushButton*>()), "Go to Train");
        auto* pace = window.findChild<QSlider*>("paceSlider");
        QVERIFY(bringsIntoView(driver, pace, pace->rect().center()));
        pace->setFocus();
        QTest::keyClick(pace, Qt::Key_Home);
        QCOMPARE(pace->value(), pace->minimum());
        QVERIFY(clickOn(driver, "startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() >= 1, kPatienceMs);
        window.presenter().setOn(true);
        settle();
        QCOMPARE(window.size(), kProjector);
        window.presenter().setOn(false);
        settle();
        QVERIFY(opensTab(driver, "trainTabs", "Units"));
        auto* net = window.findChild<NetView*>();
        QTRY_VERIFY_WITH_TIMEOUT(net->canvas()->look() != nullptr, kPatienceMs);
        QVERIFY(bringsIntoView(driver, net->canvas(),
                               net->canvas()->unitRect(0, 0).center().toPoint()));
        QVERIFY(driver.run().isActive());  // for a second each step
        QVERIFY(window.grab().save(pictureFile("teacher-units")));
        QVERIFY(bringsIntoView(driver, pace, pace->rect().center()));
        pace->setFocus();
        QTest::keyClick(pace, Qt::Key_End);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(isIdle(driver));
    }
};

QTEST_MAIN(TeacherJourneyTest)
#include "teacher_journey_test.moc"
