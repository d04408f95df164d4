// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDialog>
#include <QMenu>
#include <QTabWidget>
#include <QTest>

#include "tests/ui/cut_texts.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/dock.h"
#include "ui/translation/languages.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

}  // namespace

/// German is a third longer than English: the pages must have room for it.
class GermanScreensTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installLanguage(*qApp, "de"); }
    void cleanupTestCase() { installLanguage(*qApp, QString()); }

    void everyPageHasRoomForItsTexts() {
        WindowDriver driver;
        driver.window().resize(1280, 800);
        QStringList cut = save(driver, "start");
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 3;
        driver.project().edit("drei Epochen", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        for (const PanelInfo& panel : panels()) {
            QVERIFY(driver.goTo(panel.id));
            cut << save(driver, panel.id + "-before");
        }
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(driver.goTo("evaluate"));
        QVERIFY(driver.click("evaluateButton"));
        driver.exportPanel().exportTo(driver.filePath("digits.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.exportPanel().result().path.empty(), kPatienceMs);
        for (const PanelInfo& panel : panels()) {
            QVERIFY(driver.goTo(panel.id));
            cut << save(driver, panel.id);
            for (QTabWidget* tabs :
                 driver.window().pages().page(panel.id)->findChildren<QTabWidget*>())
                for (int i = 1; i < tabs->count(); ++i) {
                    tabs->setCurrentIndex(i);
                    cut << save(driver, panel.id + '-' + QString::number(i));
                }
        }
        saveCurveMenu(driver);
        for (const DockInfo& dock : docks()) {
            driver.window().docks().show(dock.id);
            cut << save(driver, "dock-" + dock.id);
        }
        cut << saveDialogs(driver);
        cut.removeDuplicates();
        for (const QString& each : cut) qWarning().noquote() << each;
        QCOMPARE(cut.size(), 0);
    }

private:
    static QStringList saveDialogs(WindowDriver& driver) {
        QStringList cut;
        driver.trainPanel().checkpoints()->save(driver.filePath("Stand"));
        if (!QTest::qWaitFor([&] { return driver.run().checkpoints().size() > 2; }, kPatienceMs))
            return {"no checkpoint was saved"};
        driver.trainPanel().checkpoints()->view(driver.filePath("Stand"));
        for (const char* id : {"help.shortcuts", "tools.palette"})
            driver.window().work().commands.action(id)->trigger();
        if (!QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs))
            return {"dialogs are busy"};
        for (QDialog* dialog : driver.window().findChildren<QDialog*>()) {
            const QString name = dialog->metaObject()->className();
            dialog->grab().save(pictureFile("de-" + name.section(':', -1)));
            for (const QString& each : cutTexts(*dialog)) cut << name + ": " + each;
        }
        return cut;
    }

    /// The actions available at a step.
    static void saveCurveMenu(WindowDriver& driver) {
        QMenu* menu = driver.trainPanel().lossPlot()->contextMenuAt(double(driver.run().step()));
        menu->adjustSize();
        menu->grab().save(pictureFile("de-curve-menu"));
        delete menu;
    }

    static QStringList save(WindowDriver& driver, const QString& name) {
        if (!QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs))
            return {name + " is busy"};
        // Replots and layouts wait for the event loop.
        for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
        driver.window().grab().save(pictureFile("de-" + name));
        QStringList cut = cutTexts(driver.window());
        for (QString& each : cut) each.prepend(name + ": ");
        return cut;
    }
};

QTEST_MAIN(GermanScreensTest)
#include "german_screens_test.moc"
