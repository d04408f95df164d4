// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QDir>
#include <QTabWidget>
#include <QTest>

#include "tests/ui/picture_folder.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/evaluate/evaluate_panel.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

bool save(WindowDriver& driver, const QString& name) {
    const bool isIdle = QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
    // Replots and layouts wait for the event loop.
    for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
    return isIdle && driver.window().grab().save(pictureFile(name));
}

}  // namespace

/// Pictures of the data and the evaluate page in their states, for people to look at.
class DataScreensTest : public QObject {
    Q_OBJECT

private slots:
    void dataIsPaintedInBothThemes() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        writePictureFolder(driver.filePath("shapes"), 5, 24);
        const QString folder = driver.filePath("shapes/class 1/");
        QVERIFY(QFile::copy(folder + "3.png", folder + "copy.png"));
        for (int i = 4; i < 24; ++i) QFile::remove(driver.filePath("shapes/class 4/%1.png").arg(i));
        driver.window().files().open(driver.filePath("shapes"));
        QVERIFY(driver.goTo("data"));
        TrainingSpec spec = driver.project().spec();
        spec.run.data += "&rotate=25&brightness=0.3&flip=horizontal&crop=1&normalize=standard";
        driver.project().edit("Vary", spec);
        auto* tabs = driver.window().pages().page("data")->findChild<QTabWidget*>("dataTabs");
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            for (int tab = 0; tab < tabs->count(); ++tab) {
                tabs->setCurrentIndex(tab);
                QVERIFY(save(driver, QString("data-%1-%2").arg(tab).arg(themeKey(mode))));
            }
        }
    }

    void evaluationIsPaintedInBothThemes_data() {
        QTest::addColumn<QString>("lesson");
        QTest::newRow("digits") << "digits";
        QTest::newRow("iris") << "iris";
    }
    void evaluationIsPaintedInBothThemes() {
        QFETCH(QString, lesson);
        WindowDriver driver;
        QVERIFY(driver.openLesson(lesson));
        QVERIFY(driver.goTo("evaluate"));
        QVERIFY(save(driver, "evaluate-empty-" + lesson));
        QVERIFY(driver.goTo("train") && driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(driver.goTo("evaluate") && driver.click("evaluateButton"));
        auto& panel = *qobject_cast<EvaluatePanel*>(driver.window().pages().page("evaluate"));
        QTRY_VERIFY_WITH_TIMEOUT(panel.result() && !panel.isEvaluating(), kPatienceMs);
        auto* explanation = panel.findChild<QComboBox*>("explanation");
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            explanation->setCurrentIndex(mode == ThemeMode::Light ? 1 : 2);
            if (lesson == "iris") explanation->setCurrentIndex(1);
            emit explanation->activated(explanation->currentIndex());
            for (int tab = 0; tab < panel.tabs()->count(); ++tab) {
                panel.tabs()->setCurrentIndex(tab);
                QVERIFY(save(
                    driver, QString("evaluate-%1-%2-%3").arg(lesson).arg(tab).arg(themeKey(mode))));
            }
        }
    }

    void bothPagesFitASmallScreen() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        const QSize small(1024, 700);
        driver.window().resize(small);
        QVERIFY(driver.goTo("evaluate") && driver.click("evaluateButton"));
        auto& panel = *qobject_cast<EvaluatePanel*>(driver.window().pages().page("evaluate"));
        QTRY_VERIFY_WITH_TIMEOUT(panel.result() && !panel.isEvaluating(), kPatienceMs);
        for (int tab = 0; tab < panel.tabs()->count(); ++tab) {
            panel.tabs()->setCurrentIndex(tab);
            QVERIFY(save(driver, QString("evaluate-small-%1").arg(tab)));
        }
        QVERIFY(driver.goTo("data"));
        auto* tabs = driver.window().pages().page("data")->findChild<QTabWidget*>("dataTabs");
        for (int tab = 0; tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            QVERIFY(save(driver, QString("data-small-%1").arg(tab)));
        }
        for (const char* id : {"evaluate", "data"}) {
            QVERIFY(driver.goTo(id));
            for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
            const QWidget* page = driver.window().pages().page(id);
            const QSize needed = page->minimumSizeHint();
            QVERIFY2(driver.window().size() == small, id);
            QVERIFY2(needed.width() <= page->width() && needed.height() <= page->height(),
                     qPrintable(
                         QString("%1: %2 x %3").arg(id).arg(needed.width()).arg(needed.height())));
        }
    }
};

QTEST_MAIN(DataScreensTest)
#include "data_screens_test.moc"
