// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QComboBox>
#include <QImage>
#include <QTest>
#include <cmath>
#include <map>

#include "tests/ui/window_driver.h"

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

}  // namespace

/// Drop-down lists of combo boxes.
class DropDownTest : public QObject {
    Q_OBJECT

private slots:
    void entriesAreReadable_data() {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    /// The current entry, which has another background, and the others: of every box on every page,
    /// as painted when the list opens.
    void entriesAreReadable() {
        QFETCH(bool, isDark);
        WindowDriver driver;
        driver.window().appearance().setTheme(isDark ? ThemeMode::Dark : ThemeMode::Light);
        QVERIFY(driver.openLesson("digits"));
        int seen = 0;
        for (const PanelInfo& panel : driver.window().pages().panels()) {
            QVERIFY(driver.goTo(panel.id));
            QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
            if (panel.id == "objective")
                for (const char* choice : {"choice-optimizer", "choice-schedule", "choice-tensor"})
                    QVERIFY(driver.click(choice));
            for (auto* box : driver.window().pages().page(panel.id)->findChildren<QComboBox*>()) {
                if (!box->isVisible() || !box->isEnabled() || box->currentText().isEmpty())
                    continue;
                box->showPopup();
                QCoreApplication::processEvents();
                QAbstractItemView* list = box->view();
                const QImage image = list->viewport()->grab().toImage();
                std::vector<QRect> rows;
                for (int row = 0; row < box->count(); ++row)
                    rows.push_back(list->visualRect(box->model()->index(row, 0)) & image.rect());
                if (box->accessibleName() == "Optimizer")
                    QVERIFY(driver.savePicture(isDark ? "fault-07-list-dark" : "fault-07-list",
                                               list->window()));
                box->hidePopup();
                for (int row = 0; row < box->count(); ++row) {
                    const QRect& place = rows[static_cast<size_t>(row)];
                    if (place.height() < 8) continue;  // scrolled away
                    const double found = contrastIn(image, place.adjusted(2, 2, -2, -2));
                    QVERIFY2(found >= kReadable, qPrintable(QString("%1 on page %2, %3: %4")
                                                                .arg(box->accessibleName(),
                                                                     panel.id, box->itemText(row))
                                                                .arg(found)));
                }
                ++seen;
            }
        }
        QVERIFY2(seen >= 8, qPrintable(QString::number(seen)));
    }
};

QTEST_MAIN(DropDownTest)
#include "drop_down_test.moc"
