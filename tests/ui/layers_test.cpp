// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QTableView>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/docks/layers/layer_model.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 400'000;  // with the thread sanitizer, a run takes minutes

std::shared_ptr<const LayersEvent> look(int64_t step, std::vector<LayerStatistics> layers) {
    LayersEvent event;
    event.step = step;
    event.layers = std::make_shared<const std::vector<LayerStatistics>>(std::move(layers));
    return std::make_shared<const LayersEvent>(event);
}

LayerStatistics layer(const std::string& name, double gradientNorm) {
    LayerStatistics layer{name, 100, 1, gradientNorm, 1e-3, 0, 0};
    layer.weights.add(1);
    layer.gradients.add(static_cast<float>(gradientNorm));
    return layer;
}

}  // namespace

class LayersTest : public QObject {
    Q_OBJECT

private slots:
    void rowsFollowTheLooks() {
        LayerModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(model.rowCount(), 0);
        model.setLayers(look(1, {layer("a", 1), layer("b", 1)}));
        QCOMPARE(model.rowCount(), 2);
        model.setLayers(look(5, {layer("a", 2), layer("b", 1)}));
        const QModelIndex norm = model.index(0, LayerModel::GradientNorm);
        QCOMPARE(norm.data().toString(), QString("2"));
        QCOMPARE(norm.data(LayerModel::SortRole).toDouble(), 2.0);
        const auto ridge =
            model.index(0, LayerModel::Gradients).data(LayerModel::RidgeRole).value<Ridge>();
        // 1 is in the bin of 2^0, 2 in that of 2^1.
        QCOMPARE(ridge.first.counts[32], 1U);
        QCOMPARE(ridge.now.counts[33], 1U);
        QVERIFY(
            !model.index(0, LayerModel::Weights).data(Qt::AccessibleTextRole).toString().isEmpty());
        model.setLayers(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void anotherRunStartsOver() {
        LayerModel model;
        model.setLayers(look(9, {layer("a", 1)}));
        model.setLayers(look(1, {layer("a", 4)}));
        const auto ridge =
            model.index(0, LayerModel::Gradients).data(LayerModel::RidgeRole).value<Ridge>();
        QCOMPARE(ridge.first.counts[34], 1U);
    }

    void layersWithTroubleAreRemarked() {
        LayerModel model;
        model.setLayers(look(1, {layer("a", 1), layer("b", 1), layer("c", 1e-6)}));
        QCOMPARE(model.remarks(), 1);
        QVERIFY(model.index(2, LayerModel::Remark).data().toString().contains("vanishing"));
    }

    void deadUnitsAreShownIfTheyAreKnown() {
        LayerModel model;
        LayerStatistics few = layer("few", 1), many = layer("many", 1);
        few.units = many.units = 64;
        few.deadUnits = 12;
        many.deadUnits = 48;
        model.setLayers(look(9, {layer("bias", 1), few, many}));
        const auto cell = [&](int row) { return model.index(row, LayerModel::DeadUnits); };
        QCOMPARE(cell(0).data().toString(), QString());
        QCOMPARE(cell(1).data().toString(), QString("12 of 64 (18.8 %)"));
        QCOMPARE(cell(2).data().toString(), QString("48 of 64 (75.0 %)"));
        for (int row = 1; row < 3; ++row)
            QVERIFY(cell(row).data(LayerModel::SortRole).toDouble() >
                    cell(row - 1).data(LayerModel::SortRole).toDouble());
        QCOMPARE(model.remarks(), 1);
        QVERIFY(model.index(2, LayerModel::Remark).data().toString().contains("dead"));
    }

    void theDockShowsTheLayersOfARun() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        // Long enough that an inspection interrupted by another program is a small share.
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 100;
        driver.project().edit("Train long", spec);
        QVERIFY(driver.goTo("train"));
        driver.window().docks().show("layers");
        auto* table = driver.window().findChild<QTableView*>("layerTable");
        QVERIFY(table != nullptr && !table->isVisible());
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().layers() && driver.run().step() > 100, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(table->isVisible(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.run().isActive(), kPatienceMs);
        const size_t trained = driver.project().preparation()->plan.trainable.size();
        QCOMPARE(table->model()->rowCount(), int(trained));
        QVERIFY2(driver.run().layers()->costShare < 0.02,
                 qPrintable(QString::number(driver.run().layers()->costShare)));
    }
};

QTEST_MAIN(LayersTest)
#include "layers_test.moc"
