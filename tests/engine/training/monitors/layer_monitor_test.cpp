// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/layer_monitor.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/random.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

double normOf(std::span<const float> values) {
    double sum = 0;
    for (const float value : values) sum += double{value} * double{value};
    return std::sqrt(sum);
}

bool isClose(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance * std::abs(b);
}

/// A state with one parameter of normally distributed numbers and their halves as the gradient.
CheckpointState stateOf(int64_t count) {
    CheckpointState state;
    Parameter parameter{"weight", Tensor(DType::Float32, {count}), Tensor(DType::Float32, {count}),
                        true};
    Random random(5);
    for (int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<float>(random.normal());
        parameter.data.mutableValues<float>()[size_t(i)] = value;
        parameter.gradient.mutableValues<float>()[size_t(i)] = value / 2;
    }
    state.addParameter(parameter);
    return state;
}

LayerStatistics look(CheckpointState& state, float update) {
    LayerMonitor monitor(state);
    monitor.beforeUpdate();
    for (float& value : state.parameters()[0].data.mutableValues<float>()) value *= 1 - update;
    monitor.afterUpdate();
    return monitor.finishStep(1, 1)->layers->at(0);
}

/// Trains and inspects layers.
RunOutcome runWatched(LessonRun& run, double share) {
    Trainer trainer(*run.session, run.data, run.spec, run.control, [&](const RunEvent& event) {
        run.events.push_back(event);
        if (run.onEvent) run.onEvent(event);
    });
    trainer.watchLayers(share);
    return trainer.run();
}

}  // namespace

class LayerMonitorTest : public QObject {
    Q_OBJECT

private slots:
    void numbersAreCountedByTheirPowerOfTwo_data() {
        QTest::addColumn<float>("value");
        QTest::addColumn<int>("exponent");
        QTest::newRow("one") << 1.0F << 0;
        QTest::newRow("just below one") << std::nextafter(1.0F, 0.0F) << -1;
        QTest::newRow("negative") << -3.0F << 1;
        QTest::newRow("large") << 1e30F
                               << MagnitudeHistogram::kLowestExponent + MagnitudeHistogram::kBins -
                                      1;
        QTest::newRow("small") << 1e-30F << MagnitudeHistogram::kLowestExponent;
        QTest::newRow("subnormal")
            << std::numeric_limits<float>::denorm_min() << MagnitudeHistogram::kLowestExponent;
    }
    void numbersAreCountedByTheirPowerOfTwo() {
        QFETCH(float, value);
        QFETCH(int, exponent);
        MagnitudeHistogram histogram;
        histogram.add(value);
        QCOMPARE(histogram.counts[size_t(exponent - MagnitudeHistogram::kLowestExponent)], 1U);
        QCOMPARE(histogram.total(), uint64_t{1});
    }

    void zerosAndNonFiniteNumbersAreCountedSeparately() {
        MagnitudeHistogram histogram;
        for (const float value : {0.0F, -0.0F, 1.0F, std::numeric_limits<float>::quiet_NaN()})
            histogram.add(value);
        QCOMPARE(histogram.zeros, 2U);
        QCOMPARE(histogram.notFinite, 1U);
        QCOMPARE(histogram.zeroShare(), 0.5);
    }

    void everyNumberOfASmallParameterCounts() {
        CheckpointState state = stateOf(1000);
        const double norm = normOf(state.parameters()[0].data.values<float>());
        const LayerStatistics layer = look(state, 0.01F);
        QCOMPARE(layer.elements, int64_t{1000});
        QCOMPARE(layer.weights.total(), uint64_t{1000});
        QVERIFY(isClose(layer.weightNorm, norm, 1e-12));
        QVERIFY(isClose(layer.gradientNorm, norm / 2, 1e-6));
        QVERIFY(isClose(layer.updateRatio, 0.01, 1e-5));
        QCOMPARE(layer.zeroGradients, 0.0);
    }

    void aSampleOfALargeParameterEstimatesItsNorms() {
        CheckpointState state = stateOf(1'000'000);
        const double norm = normOf(state.parameters()[0].data.values<float>());
        const LayerStatistics layer = look(state, 0.01F);
        QCOMPARE(layer.weights.total(), uint64_t{LayerMonitor::kSampled});
        // Four standard deviations of the estimate: 1 / sqrt(2 * 8192) = 0.8 %.
        QVERIFY2(isClose(layer.weightNorm, norm, 0.032), qPrintable(QString::number(norm)));
        QVERIFY(isClose(layer.updateRatio, 0.01, 1e-4));
        // 68.27 % of normally distributed numbers are below 1.
        double below = 0;
        for (int i = 0; i < -MagnitudeHistogram::kLowestExponent; ++i)
            below += layer.weights.counts[size_t(i)];
        QVERIFY(isClose(below / LayerMonitor::kSampled, 0.6827, 0.03));
    }

    void theLayersGradientsMakeTheNormOfTheStep() {
        LessonRun run("iris");
        run.spec.epochs = 4;
        run.spec.accumulate = 3;
        QCOMPARE(runWatched(run, 1e9), RunOutcome::Finished);
        const auto steps = run.all<StepEvent>();
        const auto looks = run.all<LayersEvent>();
        QCOMPARE(looks.size(), steps.size());
        for (size_t i = 0; i < steps.size(); ++i) {
            double sum = 0;
            for (const LayerStatistics& layer : *looks[i].layers)
                sum += layer.gradientNorm * layer.gradientNorm;
            QCOMPARE(looks[i].step, steps[i].step);
            QVERIFY(isClose(std::sqrt(sum), steps[i].gradientNorm, 1e-9));
            for (const LayerStatistics& layer : *looks[i].layers)
                QVERIFY(layer.updateRatio > 0 && std::isfinite(layer.updateRatio));
        }
    }

    void lookingChangesNothing() {
        LessonRun watched("digits");
        LessonRun plain("digits");
        watched.spec.steps = plain.spec.steps = 12;
        runWatched(watched, 1e9);
        plain.run();
        QCOMPARE(watched.losses(), plain.losses());
        QCOMPARE(watched.parameters(), plain.parameters());
    }

    void frozenParametersAreLeftOut() {
        TrainingSpec spec = findLesson("digits").spec;
        spec.artifacts.trainable.clear();
        spec.artifacts.frozen = {"conv*"};
        LessonRun run(spec, "digits");
        run.spec.steps = 1;
        runWatched(run, 0.01);
        const auto looks = run.all<LayersEvent>();
        QCOMPARE(looks.size(), size_t{1});
        QVERIFY(!looks[0].layers->empty());
        for (const LayerStatistics& layer : *looks[0].layers)
            QVERIFY(layer.name.find("conv") == std::string::npos);
    }

    void itTakesLessThanTwoPercentOfTheTime() {
        // Other programs can only add to the time of an inspection: the best of three runs counts.
        double share = 1;
        for (int attempt = 0; attempt < 3 && share >= 0.02; ++attempt) {
            LessonRun run("digits", 0);
            run.spec.steps = 600;
            run.data.evaluation = nullptr;
            QCOMPARE(runWatched(run, 0.01), RunOutcome::Finished);
            const auto looks = run.all<LayersEvent>();
            double seconds = 0;
            for (const StepEvent& step : run.all<StepEvent>())
                seconds += step.stepSeconds + step.dataWaitSeconds;
            QVERIFY(looks.size() > 2);
            share = std::min(share, looks.back().costShare);
            qInfo("%zu looks in 600 steps of %.2f ms: %.2f %% of the time", looks.size(),
                  1000 * seconds / 600, 100 * looks.back().costShare);
        }
        QVERIFY2(share < 0.02, qPrintable(QString::number(share)));
    }
};

QTEST_GUILESS_MAIN(LayerMonitorTest)
#include "layer_monitor_test.moc"
