// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QDockWidget>
#include <QScreen>
#include <QScrollBar>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/translation/languages.h"
#include "ui/window/page_scroll.h"
#include "ui/window/presenter_mode.h"

using namespace temper;
using namespace temper::ui;

namespace {

/// The space on a screen of 1280 x 800 pixels at 200 %, without the window frame.
const QSize kSmall(640, 370);

void settle() {
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
}

/// The minimum sizes of the window's parts, in words.
QString leastSizes(const MainWindow& window) {
    QString words;
    for (const auto* part : window.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (part->visibleRegion().isEmpty() || part->isWindow()) continue;
        const QSize least = part->minimumSizeHint().expandedTo(part->minimumSize());
        words += QString("; %1 %2 %3 x %4")
                     .arg(part->metaObject()->className(), part->objectName())
                     .arg(least.width())
                     .arg(least.height());
    }
    return words;
}

QString sentenceOf(const QString& page, const QDockWidget& dock) {
    const QRect place = dock.geometry();
    const QSize least = dock.minimumSizeHint();
    return QString("%1, %2: %3, %4 to %5, %6; at least %7 x %8")
        .arg(page, dock.objectName())
        .arg(place.left())
        .arg(place.top())
        .arg(place.right())
        .arg(place.bottom())
        .arg(least.width())
        .arg(least.height());
}

}  // namespace

/// A window on a small screen, or with large type: smaller than its contents.
class SmallScreenTest : public QObject {
    Q_OBJECT

private slots:
    void theWindowFits_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<bool>("presents");
        QTest::newRow("English") << "en" << false;
        QTest::newRow("German") << "de" << false;
        QTest::newRow("English, presenter mode") << "en" << true;
        QTest::newRow("German, presenter mode") << "de" << true;
    }
    /// With the lesson beside each page, fully visible.
    void theWindowFits() {
        QFETCH(QString, language);
        QFETCH(bool, presents);
        installLanguage(*qApp, language);
        WindowDriver driver;
        MainWindow& window = driver.window();
        QVERIFY(driver.openLesson("spirals"));
        window.docks().show("lesson");
        window.presenter().setOn(presents);
        QStringList pages{"start"};
        for (const PanelInfo& panel : window.pages().panels()) pages << panel.id;
        for (const QString& page : pages) {
            window.pages().show(page);
            settle();
            window.resize(kSmall);
            settle();
            QVERIFY2(window.size() == kSmall, qPrintable(page + leastSizes(window)));
            for (const QDockWidget* dock : window.findChildren<QDockWidget*>())
                if (!dock->visibleRegion().isEmpty())  // and not behind another one
                    QVERIFY2(window.rect().contains(dock->geometry()),
                             qPrintable(sentenceOf(page, *dock)));
            if (page == "train" && language == "en") {
                const auto* start = window.findChild<QWidget*>("startButton");
                const QWidget* view = window.centralWidget();
                const int right = start->mapTo(view, start->rect().topRight()).x();
                QVERIFY2(right < view->width(), qPrintable(QString::number(right)));
            }
            // Scrolling reaches what does not fit.
            auto* scroll = window.centralWidget()->findChild<PageScroll*>();
            for (auto* each : window.findChildren<PageScroll*>())
                if (each->isVisible()) scroll = each;
            const QSize hidden = scroll->needed() - scroll->viewport()->size();
            QCOMPARE_GE(scroll->verticalScrollBar()->maximum(), hidden.height());
            QCOMPARE_GE(scroll->horizontalScrollBar()->maximum(), hidden.width());
            if (page == "train" && language == "en")
                QVERIFY(driver.savePicture(presents ? "fault-15-presenter" : "fault-15-small"));
        }
        window.presenter().setOn(false);
        installLanguage(*qApp, "en");
    }

    /// Not even during construction.
    void aNewWindowIsNoLargerThanTheScreen() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
        settings.setValue("scratchFolder", folder.filePath("unsaved"));
        const MainWindow window(settings, QApplication::palette());
        const QSize room = window.screen()->availableSize();
        QVERIFY2(window.width() <= room.width() && window.height() <= room.height(),
                 qPrintable(QString("%1 x %2 on %3 x %4")
                                .arg(window.width())
                                .arg(window.height())
                                .arg(room.width())
                                .arg(room.height())));
    }

    void aLargerWindowHasNothingToScroll() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("spirals"));
        for (const PanelInfo& panel : driver.window().pages().panels()) {
            QVERIFY(driver.goTo(panel.id));
            settle();
            for (const auto* scroll : driver.window().findChildren<PageScroll*>()) {
                if (!scroll->isVisible()) continue;
                QCOMPARE(scroll->verticalScrollBar()->maximum(), 0);
                QCOMPARE(scroll->horizontalScrollBar()->maximum(), 0);
            }
        }
    }
};

QTEST_MAIN(SmallScreenTest)
#include "small_screen_test.moc"
