// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDialog>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/theme/colors.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

double contrast(const QColor& a, const QColor& b) {
    const auto channel = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    const auto luminance = [&](const QColor& color) {
        return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) +
               0.0722 * channel(color.blueF());
    };
    const double high = std::max(luminance(a), luminance(b));
    return (high + 0.05) / (std::min(luminance(a), luminance(b)) + 0.05);
}

}  // namespace

class ScreensTest : public QObject {
    Q_OBJECT

private slots:
    void textCanBeReadInBothThemes_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void textCanBeReadInBothThemes() {
        QFETCH(bool, dark);
        const Colors& colors = dark ? darkColors() : lightColors();
        // WCAG 2.1, level AA: 4.5 for text, 3 for graphics.
        for (const QColor& ground : {colors.surface, colors.window}) {
            for (const QColor& ink :
                 {colors.text, colors.muted, colors.good, colors.bad, colors.attention})
                QVERIFY2(contrast(ink, ground) >= 4.5, qPrintable(ink.name()));
            for (const QColor& ink : colors.series)
                QVERIFY2(contrast(ink, ground) >= 3, qPrintable(ink.name()));
        }
        QVERIFY(contrast(colors.onAccent, colors.accent) >= 4.5);
    }

    void everyPageFitsASmallScreen() {
        const QSize small(1024, 700);
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        driver.window().resize(small);
        QVERIFY2(driver.window().size() == small, qPrintable(wideParts(driver)));
        for (const PanelInfo& panel : panels()) {
            QVERIFY(driver.goTo(panel.id));
            save(driver, panel.id + "-small");
            QVERIFY2(driver.window().size() == small, qPrintable(panel.id));
        }
    }

    void theObjectiveWithAllItsParts() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {"0.8*cross_entropy(logits, labels) + 0.2*focal(logits, labels)", {}};
        spec.artifacts.parameterGroups = {{"conv*", 0.1, std::nullopt}, {"*bias", 1, 0.0}};
        spec.run.schedule = {"one-cycle", {}};
        driver.project().edit("objective", spec);
        QVERIFY(driver.goTo("objective"));
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            QVERIFY(!save(driver, "objective-parts-" + themeKey(mode)).isNull());
        }
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.click("moreRunSettings"));
        for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
            driver.window().appearance().setTheme(mode);
            save(driver, "objective-more-" + themeKey(mode));
        }
        QVERIFY(driver.click("moreRunSettings"));
        QVERIFY(driver.click("estimateRun"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QVERIFY(driver.click("findBatch"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QVERIFY(driver.click("findRate"));
        auto* use = driver.window().findChild<QPushButton*>("useRate");
        QTRY_VERIFY_WITH_TIMEOUT(!use->isHidden(), kPatienceMs);
        for (QScrollArea* area : driver.window().findChildren<QScrollArea*>())
            if (area->isAncestorOf(use)) area->ensureWidgetVisible(use, 0, 2000);
        save(driver, "objective-tried");
    }

    void parametersAreInGroups() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.frozen = {"conv1.bias"};
        spec.artifacts.parameterGroups = {{"conv*, !conv1.bias", 0.1, std::nullopt},
                                          {"conv1.bias, head.bias", 1, 0.0}};
        driver.project().edit("groups", spec);
        QVERIFY(driver.goTo("parameters"));
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            QVERIFY(!save(driver, "parameters-groups-" + themeKey(mode)).isNull());
        }
        driver.window().resize(1024, 700);
        QCOMPARE(driver.window().size(), QSize(1024, 700));
        QVERIFY(!save(driver, "parameters-groups-small").isNull());
    }

    void aWrongExpressionIsMarked() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("parameters"));
        QVERIFY(driver.click("filterIsExpression"));
        auto* filter = driver.window().findChild<QLineEdit*>("parameterFilter");
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            filter->setText("^(conv1|fc)\\.[bw");
            QVERIFY(!save(driver, "parameters-wrong-" + themeKey(mode)).isNull());
            filter->setText("^(conv1|fc)");
            QVERIFY(!save(driver, "parameters-expression-" + themeKey(mode)).isNull());
        }
    }

    void everyPageIsPaintedInBothThemes() {
        WindowDriver driver;
        save(driver, "start");
        QVERIFY(driver.openLesson("digits"));
        for (const char* page : {"train", "export"}) {
            QVERIFY(driver.goTo(page));
            save(driver, QString("empty-") + page);
        }
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(
            driver.run().step() > driver.run().totalSteps() / 2 && driver.run().step() > 10,
            kPatienceMs);
        if (driver.run().isActive()) driver.click("pauseButton");
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() != RunState::Running, kPatienceMs);
        driver.trainPanel().checkpoints()->save(driver.filePath("checkpoint-1"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.run().checkpoints().empty(), kPatienceMs);
        driver.exportPanel().exportTo(driver.filePath("digits.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.exportPanel().result().path.empty(), kPatienceMs);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            for (const PanelInfo& panel : panels()) {
                QVERIFY(driver.goTo(panel.id));
                const QImage image = save(driver, panel.id + '-' + themeKey(mode));
                const QColor corner = image.pixelColor(image.width() / 2, image.height() - 3);
                QCOMPARE(corner.lightnessF() < 0.5F, mode == ThemeMode::Dark);
            }
            QVERIFY(driver.goTo("train"));
            for (QTabWidget* tabs : driver.trainPanel().findChildren<QTabWidget*>())
                tabs->setCurrentIndex(1);
            save(driver, "confusion-" + themeKey(mode));
            for (QTabWidget* tabs : driver.trainPanel().findChildren<QTabWidget*>())
                tabs->setCurrentIndex(0);
        }
        driver.trainPanel().checkpoints()->view(driver.filePath("checkpoint-1"));
        auto* dialog = driver.window().findChild<QDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QVERIFY(dialog->grab().save(pictureFile("checkpoint")));
        dialog->findChild<QTabWidget*>("checkpointTabs")->setCurrentIndex(1);
        auto* moments = dialog->findChild<QTableView*>("optimizerMoments");
        moments->setCurrentIndex(moments->model()->index(1, 0));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QVERIFY(dialog->grab().save(pictureFile("checkpoint-optimizer")));
    }

private:
    /// The parts that keep the window wide.
    static QString wideParts(WindowDriver& driver) {
        constexpr int kWide = 420;
        QStringList found;
        for (const QWidget* widget : driver.window().findChildren<QWidget*>()) {
            const int width = widget->minimumSizeHint().width();
            if (width < kWide) continue;
            found << QString("%1 %2: %3")
                         .arg(widget->metaObject()->className(),
                              widget->objectName() + widget->accessibleName())
                         .arg(width);
        }
        return found.join("; ");
    }

    QImage save(WindowDriver& driver, const QString& name) {
        if (!QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs))
            return {};
        // Replots and layouts wait for the event loop.
        for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
        const QImage image = driver.window().grab().toImage();
        image.save(pictureFile(name));
        return image;
    }
};

QTEST_MAIN(ScreensTest)
#include "screens_test.moc"
