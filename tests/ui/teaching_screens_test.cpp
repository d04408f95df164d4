// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPushButton>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/panels/train/plane/plane_follower.h"
#include "ui/panels/train/plane/plane_view.h"
#include "ui/translation/languages.h"
#include "ui/window/presenter_mode.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

}  // namespace

/// Pictures of teaching aids, for people to look at: English in light, German in dark.
class TeachingScreensTest : public QObject {
    Q_OBJECT

private slots:
    void theyArePainted_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<ThemeMode>("theme");
        QTest::newRow("English") << "en" << ThemeMode::Light;
        QTest::newRow("German") << "de" << ThemeMode::Dark;
    }
    void theyArePainted() {
        QFETCH(QString, language);
        QFETCH(ThemeMode, theme);
        installLanguage(*qApp, language);
        {
            WindowDriver driver;
            driver.window().appearance().setTheme(theme);
            const QString prefix = language == "de" ? "de-teach-" : "teach-";
            QVERIFY(driver.openLesson("spirals"));
            QVERIFY(driver.goTo("train"));
            driver.trainPanel().showPlane();
            const PlaneFollower& follower = *driver.trainPanel().plane()->follower();
            QTRY_VERIFY_WITH_TIMEOUT(follower.latest() != nullptr, kPatienceMs);
            save(driver, prefix + "plane-before");
            QVERIFY(driver.click("startButton"));
            QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
            QTRY_COMPARE_WITH_TIMEOUT(follower.latest()->step, driver.run().step(), kPatienceMs);
            save(driver, prefix + "plane");
            driver.window().docks().show("explain");
            driver.window().findChild<ExplainDock*>()->showTerm("plane");
            save(driver, prefix + "explain");
            driver.window().resize(1600, 1000);
            driver.window().presenter().setOn(true);
            for (const PanelInfo& panel : panels()) {
                QVERIFY(driver.goTo(panel.id));
                save(driver, prefix + "present-" + panel.id + "-1600");
            }
            QVERIFY(driver.goTo("train"));
            driver.window().presenter().setOn(false);
            driver.window().resize(1920, 1080);
            driver.window().presenter().setOn(true);
            save(driver, prefix + "present-train-1920");
            driver.window().presenter().setOn(false);
            save(driver, prefix + "after");
        }
        installLanguage(*qApp, QString());
    }

    void aCodeIsExplained_data() { theyArePainted_data(); }
    void aCodeIsExplained() {
        QFETCH(QString, language);
        QFETCH(ThemeMode, theme);
        installLanguage(*qApp, language);
        {
            WindowDriver driver;
            driver.window().appearance().setTheme(theme);
            driver.window().files().openLesson("broken");
            driver.window().docks().show("problems");
            auto* explain = driver.window().findChild<QPushButton*>("problemExplain");
            QTRY_VERIFY_WITH_TIMEOUT(explain->isVisible(), kPatienceMs);
            explain->click();
            save(driver, (language == "de" ? "de-teach-" : "teach-") + QString("code"));
        }
        installLanguage(*qApp, QString());
    }

private:
    static void save(WindowDriver& driver, const QString& name) {
        QVERIFY(QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs));
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
        QVERIFY(driver.window().grab().save(pictureFile(name)));
    }
};

QTEST_MAIN(TeachingScreensTest)
#include "teaching_screens_test.moc"
