// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/layer_health.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace temper;

namespace {

/// 10,000 weights of about 0.1, whose gradients are about 0.01 and whose updates are small.
LayerStatistics healthy() { return {"fine", 10'000, 10, 1, 1e-3, 0, 0}; }

}  // namespace

class LayerHealthTest : public QObject {
    Q_OBJECT

private slots:
    void troubleIsNamed_data() {
        QTest::addColumn<double>("gradientNorm");
        QTest::addColumn<double>("updateRatio");
        QTest::addColumn<double>("zeroGradients");
        QTest::addColumn<int>("expected");
        const auto row = [](const char* name, double gradient, double update, double zeros,
                            LayerHealth health) {
            QTest::newRow(name) << gradient << update << zeros << static_cast<int>(health);
        };
        row("fine", 1, 1e-3, 0, LayerHealth::Good);
        row("small, but not vanishing", 1e-3, 1e-6, 0, LayerHealth::Good);
        row("vanishing", 1e-5, 1e-8, 0, LayerHealth::Vanishing);
        row("dead", 0.5, 1e-3, 0.99, LayerHealth::Dead);
        row("no gradient at all", 0, 0, 1, LayerHealth::Dead);
        row("exploding", 1e6, 10, 0, LayerHealth::Exploding);
        row("not finite", std::nan(""), 1e-3, 0, LayerHealth::NotFinite);
        row("infinite update", 1, std::numeric_limits<double>::infinity(), 0,
            LayerHealth::NotFinite);
    }
    void troubleIsNamed() {
        QFETCH(double, gradientNorm);
        QFETCH(double, updateRatio);
        QFETCH(double, zeroGradients);
        QFETCH(int, expected);
        LayerStatistics layer = healthy();
        layer.gradientNorm = gradientNorm;
        layer.updateRatio = updateRatio;
        layer.zeroGradients = zeroGradients;
        const auto health = healthOf({healthy(), healthy(), layer});
        QCOMPARE(static_cast<int>(health.at(2)), expected);
        QCOMPARE(health.at(0), LayerHealth::Good);
    }

    void deadUnitsAreRemarkedIfTheyAreMany_data() {
        QTest::addColumn<int64_t>("units");
        QTest::addColumn<int64_t>("dead");
        QTest::addColumn<int>("expected");
        const auto row = [](const char* name, int64_t units, int64_t dead, LayerHealth health) {
            QTest::newRow(name) << units << dead << static_cast<int>(health);
        };
        row("nothing is known", 0, 0, LayerHealth::Good);
        row("none", 64, 0, LayerHealth::Good);
        row("a few", 64, 15, LayerHealth::Good);
        row("a quarter", 64, 16, LayerHealth::DeadUnits);
        row("all", 64, 64, LayerHealth::DeadUnits);
    }
    void deadUnitsAreRemarkedIfTheyAreMany() {
        QFETCH(int64_t, units);
        QFETCH(int64_t, dead);
        QFETCH(int, expected);
        LayerStatistics layer = healthy();
        layer.units = units;
        layer.deadUnits = dead;
        QCOMPARE(static_cast<int>(healthOf({layer}).at(0)), expected);
        QCOMPARE(deadUnitShare(layer), units == 0 ? 0.0 : double(dead) / double(units));
    }

    void aWeightThatIsNaNIsFound() {
        LayerStatistics layer = healthy();
        layer.weights.add(std::numeric_limits<float>::quiet_NaN());
        QCOMPARE(healthOf({layer}).at(0), LayerHealth::NotFinite);
    }

    /// A bias that starts at zero changes by a large part of its size, but by little.
    void aSmallBiasThatMovesIsFine() {
        LayerStatistics layer{"bias", 10, 3e-3, 0.1, 1.0, 0, 0};
        QCOMPARE(healthOf({layer}).at(0), LayerHealth::Good);
    }

    void noLayersHaveNoTrouble() { QVERIFY(healthOf({}).empty()); }
};

QTEST_GUILESS_MAIN(LayerHealthTest)
#include "layer_health_test.moc"
