// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QImage>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "engine/ort/checkpoint_file.h"
#include "tests/ui/window_driver.h"
#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/checkpoints/property_model.h"
#include "ui/commands/command_registry.h"
#include "ui/docks/dock.h"
#include "ui/docks/runs/sweep_dialog.h"
#include "ui/panels/objective/fine_tune_sheet.h"
#include "ui/tensor_view/tensor_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;
/// Of WCAG 2.1 for text (success criterion 1.4.3).
constexpr double kReadable = 4.5;

/// Source: WCAG 2.1, "relative luminance".
double luminance(QRgb color) {
    const auto linear = [](int channel) {
        const double value = channel / 255.0;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(qRed(color)) + 0.7152 * linear(qGreen(color)) +
           0.0722 * linear(qBlue(color));
}

double contrast(QRgb a, QRgb b) {
    const double light = std::max(luminance(a), luminance(b));
    const double dark = std::min(luminance(a), luminance(b));
    return (light + 0.05) / (dark + 0.05);
}

/// Between the most common colour of the part and the colour with the highest contrast to it.
double contrastIn(const QImage& image, const QRect& part) {
    std::map<QRgb, int> counts;
    for (int y = part.top(); y <= part.bottom(); ++y)
        for (int x = part.left(); x <= part.right(); ++x) ++counts[image.pixel(x, y)];
    QRgb ground = 0;
    int most = 0;
    for (const auto& [color, count] : counts)
        if (std::exchange(most, std::max(most, count)) < count) ground = color;
    double best = 1;
    for (const auto& [color, count] : counts) best = std::max(best, contrast(ground, color));
    return best;
}

/// Opens drop-down lists and reads all entries as painted: the current one, which has another
/// background, and the others.
class ListReader {
public:
    /// Of all boxes in a part of the window that can be used now.
    void read(const QWidget& part, const QString& place) {
        for (auto* box : part.findChildren<QComboBox*>())
            if (box->isVisible() && box->isEnabled() && !box->currentText().isEmpty())
                read(*box, place);
    }
    const QStringList& unreadable() const { return unreadable_; }
    bool hasSeen(const QString& name) const { return seen_.contains(name); }
    qsizetype seen() const { return seen_.size(); }

private:
    void read(QComboBox& box, const QString& place) {
        const QString name =
            box.accessibleName().isEmpty() ? box.objectName() : box.accessibleName();
        seen_ << name;
        box.showPopup();
        QCoreApplication::processEvents();
        const QAbstractItemView& list = *box.view();
        const QImage image = list.viewport()->grab().toImage();
        const bool isDark = box.palette().color(QPalette::Window).lightness() < 128;
        image.save(pictureFile(QString("fault-07-%1-%2").arg(place, isDark ? "dark" : "light")));
        for (int row = 0; row < box.count(); ++row) {
            const QRect rect = list.visualRect(box.model()->index(row, box.modelColumn()));
            if (rect.isEmpty() || rect.top() < 0 || rect.bottom() >= image.height())
                continue;  // hidden, or scrolled away
            const double found = contrastIn(image, (rect & image.rect()).adjusted(2, 2, -2, -2));
            if (found >= kReadable) continue;
            unreadable_ << QString("%1, %2, %3: %4").arg(place, name, box.itemText(row)).arg(found);
        }
        box.hidePopup();
    }

    QStringList unreadable_;
    QStringList seen_;
};

bool isIdle(WindowDriver& driver) {
    return QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs);
}

/// A short run, selected in the list of runs.
bool trainAndSelect(WindowDriver& driver) {
    TrainingSpec spec = driver.project().spec();
    spec.run.steps = 5;
    driver.project().edit("short", spec);
    if (!QTest::qWaitFor([&] { return driver.project().isReadyToTrain(); }, kPatienceMs) ||
        !driver.goTo("train") || !driver.click("startButton"))
        return false;
    driver.window().docks().show("runs");
    auto* runs = driver.window().findChild<QTableView*>("runTable");
    const auto isListed = [&] {
        return driver.run().state() == RunState::Finished && runs->model()->rowCount() > 0;
    };
    if (!QTest::qWaitFor(isListed, kPatienceMs) || !isIdle(driver)) return false;
    runs->selectRow(0);
    auto* metric = driver.window().findChild<QComboBox*>("overlayMetric");
    return QTest::qWaitFor([&] { return metric->count() > 0; }, kPatienceMs);
}

template <typename Dialog>
Dialog* openedBy(WindowDriver& driver, const char* command) {
    driver.window().work().commands.action(command)->trigger();
    return driver.window().findChild<Dialog*>();
}

}  // namespace

/// Drop-down lists of combo boxes: their entries are readable in both themes.
class DropDownTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        driver_ = std::make_unique<WindowDriver>();
        lists_ = {};
    }
    void cleanup() { driver_.reset(); }

    void thoseOfPagesAreReadable_data() { addThemes(); }
    void thoseOfPagesAreReadable() {
        QVERIFY(openDigits());
        for (const PanelInfo& panel : driver_->window().pages().panels()) {
            QVERIFY(driver_->goTo(panel.id));
            QVERIFY(isIdle(*driver_));
            if (panel.id == "objective")
                for (const char* choice : {"choice-optimizer", "choice-schedule", "choice-tensor"})
                    QVERIFY(driver_->click(choice));
            lists_.read(*driver_->window().pages().page(panel.id), panel.id);
        }
        QVERIFY2(lists_.unreadable().isEmpty(), qPrintable(lists_.unreadable().join('\n')));
        QVERIFY2(lists_.seen() >= 8, qPrintable(QString::number(lists_.seen())));
    }

    void thoseOfDocksAreReadable_data() { addThemes(); }
    void thoseOfDocksAreReadable() {
        QVERIFY(openDigits());
        QVERIFY(trainAndSelect(*driver_));
        for (const DockInfo& info : docks()) {
            driver_->window().docks().show(info.id);
            QVERIFY(isIdle(*driver_));
            for (const auto* dock : driver_->window().findChildren<QDockWidget*>())
                lists_.read(*dock, info.id);
        }
        QVERIFY2(lists_.unreadable().isEmpty(), qPrintable(lists_.unreadable().join('\n')));
        for (const char* name : {"Whose runs are shown", "How runs are shown",
                                 "Which value of a metric", "Metric to compare"})
            QVERIFY2(lists_.hasSeen(name), name);
    }

    void thoseOfDialogsAreReadable_data() { addThemes(); }
    void thoseOfDialogsAreReadable() {
        QVERIFY(openDigits());
        auto* sweep = openedBy<SweepDialog>(*driver_, "queue.vary");
        QVERIFY(sweep != nullptr);
        lists_.read(*sweep, "sweep");
        delete sweep;
        auto* sheet = openedBy<FineTuneSheet>(*driver_, "training.fineTune");
        QVERIFY(sheet != nullptr && isIdle(*driver_));
        lists_.read(*sheet, "fine-tune");
        delete sheet;
        QVERIFY2(lists_.unreadable().isEmpty(), qPrintable(lists_.unreadable().join('\n')));
        for (const char* name : {"sweepSetting", "fineTuneScope"})
            QVERIFY2(lists_.hasSeen(name), name);
    }

    void thoseOfACheckpointAreReadable_data() { addThemes(); }
    /// Of the slices of a tensor, and of a cell of a table.
    void thoseOfACheckpointAreReadable() {
        QVERIFY(openDigits());
        CheckpointFile file;
        file.trainable = {{"w", Tensor(DType::Float32, {2, 3, 4})}};
        file.properties = {{"author", std::string("me")}};
        const QString path = driver_->filePath("own.ckpt");
        writeCheckpoint(file, path.toStdString());
        driver_->window().files().open(path);
        auto* dialog = driver_->window().findChild<CheckpointDialog*>();
        QVERIFY(dialog != nullptr && QTest::qWaitForWindowExposed(dialog));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        auto* tabs = dialog->findChild<QTabWidget*>("checkpointTabs");
        tabs->currentWidget()->findChild<QTableView*>()->selectRow(0);
        tabs->currentWidget()->findChild<TensorView*>()->showPage(TensorView::HeatMap);
        QVERIFY(isIdle(*driver_));
        lists_.read(*dialog, "slices");
        tabs->setCurrentIndex(tabs->count() - 1);
        auto* properties = tabs->currentWidget()->findChild<QTableView*>();
        properties->edit(properties->model()->index(0, PropertyModel::Kind));
        const qsizetype before = lists_.seen();
        lists_.read(*properties, "properties");
        QCOMPARE(lists_.seen(), before + 1);
        QVERIFY2(lists_.unreadable().isEmpty(), qPrintable(lists_.unreadable().join('\n')));
        for (const char* name : {"Down", "Across"}) QVERIFY2(lists_.hasSeen(name), name);
    }

private:
    static void addThemes() {
        QTest::addColumn<ThemeMode>("theme");
        QTest::newRow("light") << ThemeMode::Light;
        QTest::newRow("dark") << ThemeMode::Dark;
    }
    bool openDigits() {
        QFETCH(ThemeMode, theme);
        driver_->window().appearance().setTheme(theme);
        return driver_->openLesson("digits");
    }

    std::unique_ptr<WindowDriver> driver_;
    ListReader lists_;
};

QTEST_MAIN(DropDownTest)
#include "drop_down_test.moc"
