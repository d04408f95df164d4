// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QFileInfo>
#include <QSplitter>
#include <QTest>

#include "engine/core/file.h"
#include "engine/training/projects/project_file.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/model/model_panel.h"
#include "ui/panels/train/train_plots.h"
#include "ui/window/presenter_mode.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

GraphPane& graphOf(WindowDriver& driver) {
    return *qobject_cast<ModelPanel*>(driver.window().pages().page("model"))->graph();
}

bool isDrawn(WindowDriver& driver) {
    return QTest::qWaitFor(
        [&] { return graphOf(driver).view()->drawing() && !driver.project().tasks()->isBusy(); },
        kPatienceMs);
}

bool openProject(WindowDriver& driver, const QString& folder) {
    driver.window().files().open(folder);
    return QTest::qWaitFor([&] { return driver.project().store().folder() == folder; },
                           kPatienceMs) &&
           isDrawn(driver);
}

/// A saved project with a selected node in its graph, zoomed in.
QString lookedAt(WindowDriver& driver) {
    const QString folder = driver.filePath("saved");
    if (!driver.openLesson("digits")) return {};
    driver.project().saveAs(folder);
    if (!QTest::qWaitFor([&] { return driver.project().store().folder() == folder; }, kPatienceMs))
        return {};
    if (!driver.goTo("model") || !isDrawn(driver)) return {};
    GraphView& view = *graphOf(driver).view();
    view.selectNode(2);
    view.zoomIn();
    view.zoomIn();
    view.centerOn({30, 40});
    return folder;
}

bool isSamePlace(const GraphPlace& a, const GraphPlace& b) {
    return qFuzzyCompare(a.zoom, b.zoom) && a.fits == b.fits &&
           (a.center - b.center).manhattanLength() < 0.01;
}

}  // namespace

/// A project is shown as it was left.
class ViewStateTest : public QObject {
    Q_OBJECT

private slots:
    void aProjectIsShownAsItWasLeft() {
        WindowDriver driver;
        const QString folder = lookedAt(driver);
        QVERIFY(!folder.isEmpty());
        const GraphPlace place = graphOf(driver).view()->place();
        const int selected = graphOf(driver).view()->selected()->node;
        driver.trainPanel().plots()->loss()->setLogarithmic(Qt::Vertical, true);
        driver.run().setSmoothing(0.25);
        driver.window().docks().setWanted("log", true);
        driver.window().docks().setWanted("inspector", false);
        driver.window().work().commands.action("file.close")->trigger();

        QVERIFY(driver.openLesson("iris"));
        driver.trainPanel().plots()->loss()->setLogarithmic(Qt::Vertical, false);
        driver.run().setSmoothing(0.9);
        driver.window().docks().setWanted("log", false);
        driver.window().docks().setWanted("inspector", true);
        QVERIFY(openProject(driver, folder));
        QCOMPARE(driver.window().pages().current(), QString("model"));
        QVERIFY(isSamePlace(graphOf(driver).view()->place(), place));
        QVERIFY(graphOf(driver).view()->selected() != nullptr);
        QCOMPARE(graphOf(driver).view()->selected()->node, selected);
        QVERIFY(driver.trainPanel().plots()->loss()->isLogarithmic(Qt::Vertical));
        QVERIFY(!driver.trainPanel().plots()->gradientNorm()->isLogarithmic(Qt::Vertical));
        QCOMPARE(driver.run().smoothing(), 0.25);
        QVERIFY(driver.window().docks().wanted().contains("log"));
        QVERIFY(!driver.window().docks().wanted().contains("inspector"));
    }

    void splittersComeBack() {
        WindowDriver driver;
        const QString folder = lookedAt(driver);
        auto* splitter = driver.window().pages().page("model")->findChild<QSplitter*>();
        const int width = splitter->sizes()[0] + splitter->sizes()[1];
        splitter->setSizes({width / 2, width - width / 2});
        const QList<int> sizes = splitter->sizes();
        driver.project().closeModel();
        splitter->setSizes({width * 2 / 3, width / 3});
        QVERIFY(splitter->sizes() != sizes);
        QVERIFY(openProject(driver, folder));
        QCOMPARE(splitter->sizes(), sizes);
    }

    void theViewIsNotAmongTheChoices() {
        WindowDriver driver;
        const QString folder = lookedAt(driver);
        const std::string before = readFile(projectFilePath(folder.toStdString()));
        QFile::remove(folder + "/view.json");
        driver.project().closeModel();
        QVERIFY(QFileInfo::exists(folder + "/view.json"));
        QVERIFY(readFile(projectFilePath(folder.toStdString())) == before);
        // A damaged view state does not prevent a project from opening.
        writeFileAtomically((folder + "/view.json").toStdString(), "{\"docks\": 7");
        QVERIFY(openProject(driver, folder));
    }

    void theGraphOfAnotherHeadIsShownFromItsBeginning() {
        WindowDriver driver;
        const QString folder = lookedAt(driver);
        driver.project().closeModel();
        QVERIFY(openProject(driver, folder));
        TrainingSpec spec = driver.project().spec();
        spec.headClasses = 7;
        const auto before = driver.project().model();
        driver.project().edit("Head", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != before, kPatienceMs);
        QVERIFY(isDrawn(driver));
    }

    void aRoomThatLooksOnLeavesNoTraceInTheGraph() {
        WindowDriver driver;
        QVERIFY(!lookedAt(driver).isEmpty());
        const GraphPlace place = graphOf(driver).view()->place();
        driver.window().presenter().setOn(true);
        QVERIFY(isDrawn(driver));
        QCOMPARE(graphOf(driver).view()->selected()->node, 2);
        QVERIFY(!isSamePlace(graphOf(driver).view()->place(), place));
        driver.window().presenter().setOn(false);
        QVERIFY(isDrawn(driver));
        QVERIFY(isSamePlace(graphOf(driver).view()->place(), place));
        QCOMPARE(graphOf(driver).view()->selected()->node, 2);
    }
};

QTEST_MAIN(ViewStateTest)
#include "view_state_test.moc"
