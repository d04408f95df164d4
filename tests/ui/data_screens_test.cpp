// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTabWidget>
#include <QTest>

#include "tests/ui/picture_folder.h"
#include "tests/ui/window_driver.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

QString screensFolder() {
    const QString folder =
        qEnvironmentVariable("TEMPER_SCREENS", QStringLiteral(TEMPER_BINARY_DIR "/screens"));
    QDir().mkpath(folder);
    return folder;
}

bool save(WindowDriver& driver, const QString& name) {
    const bool isIdle = QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
    // Replots and layouts that wait for the event loop.
    for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
    return isIdle && driver.window().grab().save(screensFolder() + '/' + name + ".png");
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
        driver.window().openPath(driver.filePath("shapes"));
        QVERIFY(driver.goTo("data"));
        TrainingSpec spec = driver.project().spec();
        spec.run.data += "&rotate=25&brightness=0.3&flip=horizontal&crop=1&normalize=standard";
        driver.project().edit("Vary", spec);
        auto* tabs = driver.window().page("data")->findChild<QTabWidget*>("dataTabs");
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().setTheme(mode);
            for (int tab = 0; tab < tabs->count(); ++tab) {
                tabs->setCurrentIndex(tab);
                QVERIFY(save(driver, QString("data-%1-%2").arg(tab).arg(themeKey(mode))));
            }
        }
    }
};

QTEST_MAIN(DataScreensTest)
#include "data_screens_test.moc"
