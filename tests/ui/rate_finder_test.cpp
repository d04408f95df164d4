// SPDX-License-Identifier: GPL-3.0-or-later
#include <qcustomplot.h>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/panels/objective/rehearsal_card.h"
#include "ui/plots/xy_plot.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

/// The plot of the learning rates that were tried.
class RateFinderTest : public QObject {
    Q_OBJECT

private slots:
    /// The last rates make the loss many times as large as at the start.
    void explodedLossesDoNotHideTheCurve() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective") && driver.click("findRate"));
        auto* card = driver.window().findChild<RehearsalCard*>();
        QTRY_VERIFY_WITH_TIMEOUT(card->suggestedRate() > 0, kPatienceMs);
        auto* plot = card->findChild<XyPlot*>("rateRange")->findChild<QCustomPlot*>();
        QCOMPARE(plot->graphCount(), 3);
        const QCPGraphDataContainer& losses = *plot->graph(0)->data();
        const double start = losses.at(0)->value;
        QVERIFY(plot->yAxis->range().upper < 2 * start);
        QVERIFY(plot->yAxis->range().upper > start);
        const QCPGraphDataContainer& suggested = *plot->graph(2)->data();
        QVERIFY(plot->yAxis->range().contains(suggested.at(0)->value));
        QVERIFY(plot->yAxis->range().contains(suggested.at(1)->value));
        QVERIFY(plot->legend->visible());
        plot->replot();
        const double line = plot->xAxis->coordToPixel(card->suggestedRate());
        const QRect legend = plot->legend->outerRect();
        QVERIFY2(line < legend.left() || line > legend.right(), qPrintable(QString::number(line)));
    }
};

QTEST_MAIN(RateFinderTest)
#include "rate_finder_test.moc"
