// SPDX-License-Identifier: Apache-2.0
#include "engine/training/evaluation/metrics.h"

#include <QTest>
#include <cmath>

#include "engine/core/error.h"
#include "engine/runs/run_record.h"

using namespace temper;

namespace {

double valueOf(const char* metric, const char* loss, const Tensor& prediction,
               const Tensor& target) {
    const std::unique_ptr<Metric> made = makeMetric(metric, loss);
    made->add(prediction, target);
    return made->value();
}

}  // namespace

class MetricsTest : public QObject {
    Q_OBJECT

private slots:
    void metricsAgreeWithHandComputedValues() {
        const Tensor logits = Tensor::of<float>({4, 3}, {1, 2, 0, 5, 1, 1, 0, 0, 0, -1, -3, -2});
        const Tensor labels = Tensor::of<int64_t>({4}, {1, 0, 2, 0});  // third: a tie, 0 wins
        QCOMPARE(valueOf("accuracy", "cross-entropy", logits, labels), 0.75);
        const Tensor predicted = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
        const Tensor right = Tensor::of<float>({2, 2}, {1, 0, 6, 4});
        QCOMPARE(valueOf("mae", "mse", predicted, right), 1.25);
        QCOMPARE(valueOf("rmse", "l1", predicted, right), std::sqrt(13.0 / 4));
        const Tensor scores = Tensor::of<float>({4, 1}, {0.1F, -2, 3, -0.5F});
        const Tensor truth = Tensor::of<float>({4, 1}, {1, 0, 0, 1});
        QCOMPARE(valueOf("accuracy", "bce-with-logits", scores, truth), 0.5);
    }

    void theFiveHighestLogitsCount() {
        const Tensor logits = Tensor::of<float>({2, 7}, {6, 5, 4, 3, 2, 1, 0,  //
                                                         0, 0, 0, 0, 0, 0, 0});
        QCOMPARE(
            valueOf("top-5-accuracy", "cross-entropy", logits, Tensor::of<int64_t>({2}, {4, 4})),
            1.0);
        QCOMPARE(
            valueOf("top-5-accuracy", "cross-entropy", logits, Tensor::of<int64_t>({2}, {5, 5})),
            0.0);
    }

    void ignoredLabelsDoNotCount() {
        const Tensor logits = Tensor::of<float>({3, 2}, {1, 0, 1, 0, 1, 0});
        const Tensor labels = Tensor::of<int64_t>({3}, {0, -100, 1});
        QCOMPARE(valueOf("accuracy", "cross-entropy", logits, labels), 0.5);
        QCOMPARE(valueOf("top-5-accuracy", "cross-entropy", logits, labels), 1.0);
    }

    void classesAreFoundAtEveryPosition() {
        // [N = 1, C = 2, 3]: position 0 has the logits 1 and 2, position 1 4 and 3, ...
        const Tensor logits = Tensor::of<float>({1, 2, 3}, {1, 4, 0, 2, 3, 0});
        QCOMPARE(predictedClasses(logits), (std::vector<int64_t>{1, 0, 0}));
        QCOMPARE(
            valueOf("accuracy", "cross-entropy", logits, Tensor::of<int64_t>({1, 3}, {1, 0, 1})),
            2.0 / 3);
    }

    void batchesDoNotChangeTheValue() {
        const std::unique_ptr<Metric> parts = makeMetric("rmse", "mse");
        parts->add(Tensor::of<float>({1}, {3}), Tensor::of<float>({1}, {0}));
        parts->add(Tensor::of<float>({3}, {1, 1, 1}), Tensor::of<float>({3}, {0, 1, 1}));
        QCOMPARE(parts->value(), std::sqrt(10.0 / 4));
    }

    void nothingAddedGivesZero() {
        QCOMPARE(makeMetric("accuracy", "cross-entropy")->value(), 0.0);
    }

    void confusionCountsTrueAgainstPredicted() {
        ConfusionCounter counter({"cat", "dog"});
        counter.add({0, 1, 1, 1}, Tensor::of<int64_t>({4}, {0, 0, 1, 7}));
        const auto matrix = counter.result();
        QCOMPARE(matrix->classes, (std::vector<std::string>{"cat", "dog"}));
        QCOMPARE(matrix->counts, (std::vector<int64_t>{1, 1, 0, 1}));
        QCOMPARE(matrix->at(0, 1), int64_t{1});
    }

    void metricsThatDoNotFitTheLossAreRefused_data() {
        QTest::addColumn<QString>("metric");
        QTest::addColumn<QString>("loss");
        QTest::newRow("unknown") << "beauty"
                                 << "mse";
        QTest::newRow("accuracy of numbers") << "accuracy"
                                             << "mse";
        QTest::newRow("error of classes") << "mae"
                                          << "cross-entropy";
        QTest::newRow("own loss") << "accuracy"
                                  << "custom";
    }

    void metricsThatDoNotFitTheLossAreRefused() {
        QFETCH(QString, metric);
        QFETCH(QString, loss);
        try {
            makeMetric(metric.toStdString(), loss.toStdString());
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY(QString::fromUtf8(error.what()).contains(metric));
            QVERIFY(!error.hint().empty());
        }
    }

    void eachLossHasItsDefaults() {
        QCOMPARE(defaultMetrics("cross-entropy"), (std::vector<std::string>{"accuracy"}));
        QCOMPARE(defaultMetrics("bce-with-logits"), (std::vector<std::string>{"accuracy"}));
        QCOMPARE(defaultMetrics("mse"), (std::vector<std::string>{"mae", "rmse"}));
        QVERIFY(defaultMetrics("custom").empty());
    }

    void allThatFitALossCanBeRequested() {
        QCOMPARE(fittingMetrics("cross-entropy"),
                 (std::vector<std::string>{"accuracy", "top-5-accuracy"}));
        QCOMPARE(fittingMetrics("regression"), (std::vector<std::string>{"mae", "rmse"}));
        QVERIFY(fittingMetrics("custom").empty());
    }

    void theHistoryKnowsWhichWayIsBetter() {
        for (const MetricInfo& info : metricInfos())
            QCOMPARE(isHigherBetter(info.key), info.higherIsBetter);
    }
};

QTEST_APPLESS_MAIN(MetricsTest)
#include "metrics_test.moc"
