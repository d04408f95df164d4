// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDebug>
#include <QDockWidget>
#include <QHeaderView>
#include <QStatusBar>
#include <QTableView>
#include <QTest>
#include <QToolBar>
#include <map>

#include "tests/ui/cut_texts.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/panels/train/own_plot.h"
#include "ui/panels/train/plane/plane_view.h"
#include "ui/panels/train/plot_presenter.h"
#include "ui/panels/train/train_plots.h"
#include "ui/plots/plane_plot.h"
#include "ui/translation/languages.h"
#include "ui/window/presenter_mode.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

/// The properties of a widget that a person would see change.
struct Look {
    QRect geometry;
    QString font;
    QSize least, most;
    bool isVisible;
    bool operator==(const Look&) const = default;
};

void settle() {
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
}

std::map<const QWidget*, Look> looksOf(const QWidget& window) {
    std::map<const QWidget*, Look> looks;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        // Widgets that are hidden, or behind another dock, are laid out when shown.
        const bool isVisible = !widget->visibleRegion().isEmpty();
        // Qt's own parts: tab bars that a window keeps for docks stay where they were.
        if (widget->objectName().startsWith("qt_")) continue;
        if (widget->parentWidget() == &window && widget->inherits("QTabBar")) continue;
        looks[widget] = {isVisible ? widget->geometry() : QRect(),
                         isVisible ? widget->font().toString() : QString(), widget->minimumSize(),
                         widget->maximumSize(), isVisible};
    }
    return looks;
}

/// In words; empty if everything looks as before. New widgets are ignored.
QString firstDifference(const std::map<const QWidget*, Look>& before,
                        const std::map<const QWidget*, Look>& after) {
    for (const auto& [widget, look] : before) {
        const auto found = after.find(widget);
        if (found == after.end() || found->second == look) continue;
        QString words;
        QDebug said(&words);
        said << widget << found->second.geometry << "was" << look.geometry << "least"
             << found->second.least << "was" << look.least << "most" << found->second.most << "was"
             << look.most << found->second.font;
        return words;
    }
    return {};
}

QStringList columnsOf(const QWidget& window) {
    QStringList widths;
    for (const auto* table : window.findChildren<QTableView*>())
        for (int i = 0; i < table->horizontalHeader()->count(); ++i)
            if (table->isVisible())
                widths << QString("%1 %2: %3")
                              .arg(table->accessibleName())
                              .arg(i)
                              .arg(table->columnWidth(i));
    widths.sort();
    return widths;
}

QDockWidget* dock(WindowDriver& driver, const QString& id) {
    return driver.window().findChild<QDockWidget*>("dock-" + id);
}

}  // namespace

class PresenterTest : public QObject {
    Q_OBJECT

private slots:
    void typeGrowsAndDocksThatDoNotTeachGo() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("spirals"));
        QVERIFY(driver.goTo("train"));
        for (const char* id : {"log", "runs", "explain"}) driver.window().docks().show(id);
        const double before = QApplication::font().pointSizeF();
        QAction* action = driver.window().work().commands.action("layout.presenter");
        QVERIFY(action->isCheckable() && action->shortcuts().size() > 1);
        auto* bar = driver.window().findChild<QToolBar*>("toolBar");
        const int icon = bar->iconSize().width();
        action->trigger();
        settle();
        QVERIFY(action->isChecked());
        QCOMPARE(QApplication::font().pointSizeF(), before * PresenterMode::kScale);
        QCOMPARE(driver.trainPanel().font().pointSizeF(), before * PresenterMode::kScale);
        QVERIFY(!dock(driver, "log")->isVisible() && !dock(driver, "runs")->isVisible());
        QVERIFY(dock(driver, "explain")->isVisible());
        QVERIFY(!driver.window().statusBar()->isVisible());
        QVERIFY(bar->iconSize().width() > icon);
        // Pages change, the docks stay hidden.
        QVERIFY(driver.goTo("evaluate"));
        QVERIFY(!dock(driver, "log")->isVisible());
    }

    void onePlotFillsThePage() {
        WindowDriver driver;
        driver.window().resize(1600, 1000);
        QVERIFY(driver.openLesson("spirals"));
        QVERIFY(driver.goTo("train"));
        const TrainPanel& panel = driver.trainPanel();
        const TrainPlots& plots = *panel.plots();
        driver.window().presenter().setOn(true);
        settle();
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        const std::pair<int, const QWidget*> keys[] = {{Qt::Key_1, plots.loss()},
                                                       {Qt::Key_2, plots.metrics()},
                                                       {Qt::Key_3, plots.gradientNorm()},
                                                       {Qt::Key_PageDown, plots.learningRate()},
                                                       {Qt::Key_6, panel.plane()->plot()},
                                                       {Qt::Key_PageUp, panel.ownPlot()->plot()},
                                                       {Qt::Key_9, panel.ownPlot()->plot()},
                                                       {Qt::Key_1, plots.loss()}};
        for (const auto& [key, plot] : keys) {
            QTest::keyClick(&driver.window(), static_cast<Qt::Key>(key));
            settle();
            QCOMPARE(panel.presenter()->shown(), plot);
            QVERIFY(plot->isVisible());
            QVERIFY(plot->width() > 0.9 * panel.width());
            QVERIFY(plot->height() > 0.6 * panel.height());
            QVERIFY(plot->font().pointSizeF() > 1.2 * panel.font().pointSizeF());
            int visible = 0;
            for (const PlotView* each : panel.findChildren<PlotView*>())
                visible += each->isVisible() ? 1 : 0;
            QCOMPARE(visible, plot == panel.plane()->plot() ? 0 : 1);
        }
        QVERIFY(dock(driver, "lesson")->isVisible());
        QVERIFY(panel.findChild<QAbstractButton*>("startButton")->isVisible());
        driver.window().presenter().setOn(false);
        settle();
        QCOMPARE(panel.presenter()->shown(), nullptr);
        for (const PlotView* each : {plots.loss(), plots.metrics(), plots.learningRate()})
            QVERIFY(each->isVisible());
        QCOMPARE(plots.loss()->font(), panel.font());
        // The keys of the mode are off.
        QTest::keyClick(&driver.window(), Qt::Key_2);
        QCOMPARE(panel.presenter()->shown(), nullptr);
    }

    void everythingComesBack_data() {
        QTest::addColumn<QString>("page");
        QTest::addColumn<int>("key");
        for (const PanelInfo& panel : panels()) {
            QTest::newRow(qPrintable(panel.id)) << panel.id << int(Qt::Key_F11);
        }
        QTest::newRow("train, Escape") << "train" << int(Qt::Key_Escape);
    }
    void everythingComesBack() {
        QFETCH(QString, page);
        QFETCH(int, key);
        WindowDriver driver;
        QVERIFY(driver.openLesson("spirals"));
        QVERIFY(driver.goTo(page));
        for (const char* id : {"explain", "log"}) driver.window().docks().show(id);
        driver.window().resizeDocks({dock(driver, "explain")}, {333}, Qt::Horizontal);
        driver.window().resizeDocks({dock(driver, "log")}, {177}, Qt::Vertical);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        settle();
        const auto before = looksOf(driver.window());
        const auto columns = columnsOf(driver.window());
        const QFont font = QApplication::font();
        const QString sheet = qApp->styleSheet();
        QTest::keyClick(&driver.window(), Qt::Key_F11);
        settle();
        QVERIFY(driver.window().presenter().isOn());
        QTest::keyClick(&driver.window(), Qt::Key(key));
        settle();
        QVERIFY(!driver.window().presenter().isOn());
        QVERIFY(!driver.window().work().commands.action("layout.presenter")->isChecked());
        QCOMPARE(QApplication::font(), font);
        QCOMPARE(qApp->styleSheet(), sheet);
        QCOMPARE(columnsOf(driver.window()).join('\n'), columns.join('\n'));
        const QString moved = firstDifference(before, looksOf(driver.window()));
        QVERIFY2(moved.isEmpty(), qPrintable(moved));
    }

    void otherColoursMoveNothing_data() {
        QTest::addColumn<QString>("page");
        for (const PanelInfo& panel : panels()) QTest::newRow(qPrintable(panel.id)) << panel.id;
    }
    void otherColoursMoveNothing() {
        QFETCH(QString, page);
        WindowDriver driver;
        QVERIFY(driver.openLesson("spirals"));
        QVERIFY(driver.goTo(page));
        for (const char* id : {"explain", "log"}) driver.window().docks().show(id);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        settle();
        const auto before = looksOf(driver.window());
        for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
            driver.window().appearance().setTheme(mode);
            settle();
            const QString moved = firstDifference(before, looksOf(driver.window()));
            QVERIFY2(moved.isEmpty(), qPrintable(moved));
        }
    }

    void closingTheWindowKeepsThePreviousDocks() {
        WindowDriver driver;
        QVERIFY(driver.goTo("train"));
        driver.window().docks().show("log");
        driver.window().presenter().setOn(true);
        const double large = QApplication::font().pointSizeF();
        driver.window().close();
        QVERIFY(QApplication::font().pointSizeF() < large);
        QVERIFY(driver.window().docks().action("log")->isChecked());
    }

    void nothingIsCut_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QSize>("size");
        for (const char* language : {"en", "de"})
            for (const QSize& size : {QSize(1600, 1000), QSize(1920, 1080)})
                QTest::newRow(qPrintable(QString("%1, %2").arg(language).arg(size.width())))
                    << language << size;
    }
    void nothingIsCut() {
        QFETCH(QString, language);
        QFETCH(QSize, size);
        installLanguage(*qApp, language);
        {
            WindowDriver driver;
            driver.window().resize(size);
            QVERIFY(driver.openLesson("spirals"));
            TrainingSpec spec = driver.project().spec();
            spec.run.epochs = 3;
            driver.project().edit("Three epochs", spec);
            QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
            driver.window().presenter().setOn(true);
            driver.window().docks().show("explain");
            QVERIFY(driver.goTo("train"));
            QVERIFY(driver.click("startButton"));
            QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
            QStringList cut;
            for (const PanelInfo& panel : panels()) {
                QVERIFY(driver.goTo(panel.id));
                if (panel.id == "train") driver.trainPanel().showPlane();
                QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
                settle();
                for (const QString& each : cutTexts(driver.window())) cut << panel.id + ": " + each;
                QVERIFY2(driver.window().width() <= size.width() &&
                             driver.window().height() <= size.height(),
                         qPrintable(panel.id));
            }
            for (const QString& each : cut) qWarning().noquote() << each;
            QCOMPARE(cut.size(), 0);
        }
        installLanguage(*qApp, QString());
    }
};

QTEST_MAIN(PresenterTest)
#include "presenter_test.moc"
