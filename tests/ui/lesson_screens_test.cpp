// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <algorithm>

#include "tests/ui/window_driver.h"
#include "ui/docks/lesson/lesson_dock.h"
#include "ui/translation/languages.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

void save(WindowDriver& driver, const QString& name) {
    QVERIFY(QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs));
    for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
    QVERIFY(driver.window().grab().save(pictureFile(name)));
}

bool open(WindowDriver& driver, const QString& lesson) {
    return driver.goTo("start") && driver.click("open-" + lesson) &&
           QTest::qWaitFor(
               [&] {
                   return driver.project().lesson() && !driver.project().tasks()->isBusy() &&
                          driver.project().preparation() && !driver.project().isPreparing() &&
                          text(driver.project().lesson()->name) == lesson;
               },
               kPatienceMs);
}

/// Areas of the page and the lesson that scroll horizontally.
QStringList movesSideways(WindowDriver& driver) {
    QStringList found;
    QList<QScrollArea*> areas =
        driver.window().findChild<LessonDock*>()->findChildren<QScrollArea*>();
    areas << driver.window()
                 .pages()
                 .page(driver.window().pages().current())
                 ->findChildren<QScrollArea*>();
    for (const QScrollArea* area : areas)
        if (area->isVisible() &&
            area->widget()->minimumSizeHint().width() > area->viewport()->width())
            found << driver.window().pages().current() + ' ' + area->accessibleName();
    return found;
}

}  // namespace

/// Pictures of every lesson, for people to look at.
class LessonScreensTest : public QObject {
    Q_OBJECT

private slots:
    void theStartPageShowsAllLessons() {
        WindowDriver driver;
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            save(driver, "lessons-start-" + themeKey(mode));
        }
        driver.window().resize(1024, 700);
        save(driver, "lessons-start-small");
    }

    void everyLessonIsPainted_data() {
        QTest::addColumn<QString>("name");
        for (const Lesson& lesson : bundledLessons())
            QTest::newRow(lesson.name.c_str()) << text(lesson.name);
    }

    void everyLessonIsPainted() {
        QFETCH(QString, name);
        WindowDriver driver;
        QVERIFY(open(driver, name));
        save(driver, "lesson-" + name + "-model");
        if (driver.project().lesson()->mended && name == "broken")
            driver.project().edit("mended", driver.project().lesson()->goalSpec());
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = std::max<int64_t>(3, spec.run.epochs / 4);  // just enough to be visible
        driver.project().edit("shorter", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        const RunState end = name == "exploding" ? RunState::Failed : RunState::Finished;
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), end, kPatienceMs);
        save(driver, "lesson-" + name);
        if (name != "spirals" && name != "exploding") return;
        driver.window().appearance().setTheme(ThemeMode::Dark);
        save(driver, "lesson-" + name + "-dark");
    }

    void theDockFitsBesideEveryPageInGerman() {
        installLanguage(*qApp, "de");
        {
            WindowDriver driver;
            driver.window().resize(1024, 700);
            save(driver, "lessons-start-de");
            QVERIFY(open(driver, "digits"));
            // English fits into 1024 (ui_screens_test); German has longer buttons on the train
            // page.
            const QSize small(1280, 700);
            driver.window().resize(small);
            QStringList sideways;
            for (const PanelInfo& panel : panels()) {
                QVERIFY(driver.goTo(panel.id));
                save(driver, "lesson-de-" + panel.id);
                QCOMPARE(driver.window().size(), small);
                sideways << movesSideways(driver);
            }
            QVERIFY2(sideways.isEmpty(), qPrintable(sideways.join("; ")));
        }
        installLanguage(*qApp, QString());
    }

    void withoutALessonItOffersThem() {
        WindowDriver driver;
        driver.window().pages().show("model");
        driver.window().docks().show("lesson");
        save(driver, "lesson-none");
    }
};

QTEST_MAIN(LessonScreensTest)
#include "lesson_screens_test.moc"
