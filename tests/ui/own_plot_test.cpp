// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

#include "tests/ui/window_driver.h"
#include "ui/panels/train/own_plot.h"
#include "ui/panels/train/train_panel.h"
#include "ui/plots/plot_view.h"
#include "ui/plots/series_table.h"
#include "ui/run/curve_catalog.h"
#include "ui/run/layer_history.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

LayersEvent lookAt(int64_t step, std::initializer_list<const char*> names) {
    std::vector<LayerStatistics> layers;
    for (const char* name : names) {
        LayerStatistics layer;
        layer.name = name;
        layer.weightNorm = static_cast<double>(step);
        layer.updateRatio = 0.5;
        layers.push_back(layer);
    }
    return {step, 1, 0, std::make_shared<const std::vector<LayerStatistics>>(std::move(layers))};
}

QModelIndex rowOf(const QAbstractItemModel& model, const QString& title) {
    const QModelIndexList found = model.match(model.index(0, 0), Qt::DisplayRole, title, 1,
                                              Qt::MatchExactly | Qt::MatchRecursive);
    return found.isEmpty() ? QModelIndex() : found.first();
}

}  // namespace

/// Curves chosen by the user, in one plot.
class OwnPlotTest : public QObject {
    Q_OBJECT

private slots:
    void looksAreKeptHoweverLongARunIs() {
        LayerHistory history;
        constexpr int64_t kLooks = 20'000;
        for (int64_t step = 1; step <= kLooks; ++step) history.add(lookAt(step, {"w", "b"}));
        QVERIFY(history.looks() <= LayerHistory::kMaxLooks);
        QVERIFY(history.looks() >= LayerHistory::kMaxLooks / 2);
        const Curve curve = history.curve("w", LayerHistory::WeightNorm);
        QCOMPARE(curve.points().size(), history.looks());
        const double stride = curve.points()[1].x - curve.points()[0].x;
        double before = curve.points()[0].x - stride;
        for (const Curve::Point& point : curve.points()) {
            QCOMPARE(point.y, point.x);          // for its own step
            QCOMPARE(point.x - before, stride);  // evenly spaced, from the first to the last
            before = point.x;
        }
        QCOMPARE(curve.points().front().x, 1.0);
        QCOMPARE_GT(curve.points().back().x, static_cast<double>(kLooks) - 2 * stride);
        QVERIFY(history.curve("none", LayerHistory::UpdateRatio).isEmpty());
        history.cutAfter(100);
        QCOMPARE_LE(history.curve("b", LayerHistory::WeightNorm).points().back().x, 100.0);
        history.add(lookAt(7, {"other"}));  // another set of parameters
        QCOMPARE(history.looks(), size_t{1});
    }

    void curvesAreTickedFoundAndKept() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("train"));
        auto* tabs = driver.window().findChild<QTabWidget*>("trainTabs");
        OwnPlot* own = driver.trainPanel().ownPlot();
        tabs->setCurrentWidget(own);
        QCOMPARE(own->plot()->seriesCount(), 0);
        // A click into the empty plot does not zoom.
        QTest::mouseClick(own->plot()->findChild<QWidget*>("canvas"), Qt::LeftButton);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        auto* tree = own->findChild<QTreeView*>("curveTree");
        QAbstractItemModel& rows = *tree->model();
        // Everything listed has points after a run that evaluates and is inspected.
        const std::vector<CurveEntry> entries = curvesOf(driver.run());
        QVERIFY(entries.size() > 8);
        for (const CurveEntry& entry : entries)
            QVERIFY2(!curveOf(driver.run(), entry.key)->isEmpty(), qPrintable(entry.key));
        QVERIFY(curveOf(driver.run(), "metric/none")->isEmpty());
        QVERIFY(curveOf(driver.run(), "layer/none/w")->isEmpty());

        const QString layer = QString::fromStdString(driver.run().layerHistory().names().front());
        const QModelIndex ratio = rows.index(2, 0, rowOf(rows, layer));
        QCOMPARE(ratio.data().toString(), QString("Update ratio"));
        QVERIFY(rows.setData(rowOf(rows, "Learning rate"), Qt::Checked, Qt::CheckStateRole));
        QVERIFY(rows.setData(ratio, Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(own->chosen(), (QStringList{"learning_rate", "layer/update_ratio/" + layer}));
        QCOMPARE(own->plot()->seriesCount(), 2);
        QCOMPARE(own->plot()->pointCount(0),
                 static_cast<int>(driver.run().learningRate().points().size()));
        const double end = own->plot()->xRange().upper;
        QCOMPARE_GE(end, driver.run().learningRate().points().back().x);
        QCOMPARE(own->plot()->pointCount(1), static_cast<int>(driver.run().layerHistory().looks()));
        own->plot()->showTable();
        QCOMPARE(own->plot()->table()->series()[1].name, layer + ", Update ratio");

        own->findChild<QLineEdit*>()->setText("update");
        QVERIFY(!rowOf(rows, "Learning rate").isValid());
        QVERIFY(rowOf(rows, "Update ratio").isValid());
        own->findChild<QLineEdit*>()->clear();
        QVERIFY(rows.setData(rowOf(rows, "Learning rate"), Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(own->plot()->seriesCount(), 1);
        own->plot()->setLogarithmic(Qt::Vertical, true);

        const QJsonObject kept = own->view();
        own->setView({});
        QCOMPARE(own->plot()->seriesCount(), 0);
        QVERIFY(!own->plot()->isLogarithmic(Qt::Vertical));
        own->setView(kept);
        QCOMPARE(own->plot()->seriesCount(), 1);
        QVERIFY(own->plot()->isLogarithmic(Qt::Vertical));
        QVERIFY(rowOf(rows, "Update ratio").data(Qt::CheckStateRole) == Qt::Checked);
        // Applying the view again expands the rows that are drawn; other parameters stay collapsed.
        tree->collapseAll();
        driver.window().findChild<OwnPlot*>()->setView(kept);
        QVERIFY(tree->isExpanded(rowOf(rows, "Parameters")));
        QVERIFY(tree->isExpanded(rowOf(rows, layer)));
        QVERIFY(!tree->isExpanded(
            rowOf(rows, QString::fromStdString(driver.run().layerHistory().names().back()))));
        // Curves that this run lacks wait for a run that has them.
        own->setChosen({"metric/none", "loss"});
        QCOMPARE(own->plot()->seriesCount(), 1);
        QCOMPARE(own->chosen().size(), 2);
    }
};

QTEST_MAIN(OwnPlotTest)
#include "own_plot_test.moc"
