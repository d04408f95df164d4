// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/error.h"
#include "engine/ort/checkpoint_diff.h"

namespace temper::test {

CheckpointFile checkpointOf(std::vector<NamedTensor> trainable,
                            std::vector<NamedTensor> frozen = {}) {
    CheckpointFile file;
    file.trainable = std::move(trainable);
    file.frozen = std::move(frozen);
    return file;
}

Tensor floats(std::vector<float> values) {
    const auto size = static_cast<int64_t>(values.size());
    return Tensor::of<float>({size}, values);
}

class CheckpointDiffTest : public QObject {
    Q_OBJECT

private slots:
    // Expected values by hand, from the definitions.
    void vectorsAreMeasured_data() {
        QTest::addColumn<QList<float>>("a");
        QTest::addColumn<QList<float>>("b");
        QTest::addColumn<double>("change");
        QTest::addColumn<double>("largest");
        QTest::addColumn<double>("relative");
        QTest::addColumn<double>("cosine");
        const double infinite = std::numeric_limits<double>::infinity();
        QTest::newRow("alike") << QList<float>{3, 4} << QList<float>{3, 4} << 0. << 0. << 0. << 1.;
        const float lowest = -std::numeric_limits<float>::infinity();
        QTest::newRow("alike, with infinities")
            << QList<float>{3, lowest} << QList<float>{3, lowest} << 0. << 0. << 0. << 1.;
        QTest::newRow("longer") << QList<float>{3, 4} << QList<float>{6, 8} << 5. << 4. << 1. << 1.;
        QTest::newRow("turned round")
            << QList<float>{3, 4} << QList<float>{-3, -4} << 10. << 8. << 2. << -1.;
        QTest::newRow("orthogonal") << QList<float>{0, 2} << QList<float>{2, 0} << std::sqrt(8.)
                                    << 2. << std::sqrt(2.) << 0.;
        QTest::newRow("from nothing")
            << QList<float>{0, 0} << QList<float>{3, 4} << 5. << 4. << infinite << 0.;
        QTest::newRow("nothing") << QList<float>{0, 0} << QList<float>{0, 0} << 0. << 0. << 0.
                                 << 1.;
        QTest::newRow("at 60 degrees") << QList<float>{1, 0} << QList<float>{1, std::sqrt(3.F)}
                                       << std::sqrt(3.) << std::sqrt(3.) << std::sqrt(3.) << 0.5;
    }
    void vectorsAreMeasured() {
        QFETCH(QList<float>, a);
        QFETCH(QList<float>, b);
        QFETCH(double, change);
        QFETCH(double, largest);
        QFETCH(double, relative);
        QFETCH(double, cosine);
        const auto diff = compareCheckpoints(checkpointOf({{"w", floats({a.begin(), a.end()})}}),
                                             checkpointOf({{"w", floats({b.begin(), b.end()})}}));
        QCOMPARE(diff.parameters.size(), size_t{1});
        const ParameterDiff& w = diff.parameters.front();
        // The numbers are float32: seven digits.
        const auto close = [](double x, double y) {
            return x == y || std::abs(x - y) <= 1e-6 * std::abs(y);
        };
        QVERIFY(close(w.changeNorm, change));
        QVERIFY(close(w.maxChange, largest));
        QVERIFY(close(w.relative, relative));
        QVERIFY(close(w.cosine, cosine));
        QCOMPARE(w.isSame(), change == 0);
        const auto counted = std::accumulate(w.histogram.begin(), w.histogram.end(), int64_t{0});
        QCOMPARE(counted, change == 0 ? int64_t{0} : int64_t{2});
    }

    void histogramsGoFromTheLeastToTheGreatestChange() {
        const auto diff = compareCheckpoints(checkpointOf({{"w", floats({0, 0, 0, 0})}}),
                                             checkpointOf({{"w", floats({-8, 0.1F, 0.2F, 8})}}));
        const auto& histogram = diff.parameters.front().histogram;
        QCOMPARE(histogram.size(), ParameterDiff::kBins);
        QCOMPARE(histogram.front(), int64_t{1});
        QCOMPARE(histogram[ParameterDiff::kBins / 2], int64_t{2});
        QCOMPARE(histogram.back(), int64_t{1});
    }

    void aNaNIsTheLargestChange() {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const auto diff = compareCheckpoints(checkpointOf({{"w", floats({1, 2})}}),
                                             checkpointOf({{"w", floats({nan, 5})}}));
        QVERIFY(std::isnan(diff.parameters.front().maxChange));
        QVERIFY(diff.parameters.front().histogram.empty());
        QVERIFY(!diff.parameters.front().isSame());
    }

    void whatIsInfiniteInBothIsLeftOutOfChanges() {
        const float lowest = -std::numeric_limits<float>::infinity();
        const auto diff = compareCheckpoints(checkpointOf({{"mask", floats({3, lowest})}}),
                                             checkpointOf({{"mask", floats({4, lowest})}}));
        const ParameterDiff& mask = diff.parameters.front();
        QCOMPARE(mask.changeNorm, 1.0);
        QCOMPARE(mask.maxChange, 1.0);
        QVERIFY(!mask.isSame());
    }

    void whatDoesNotFitIsNamed() {
        const auto first = checkpointOf({{"w", floats({1, 2})}, {"a", floats({1})}},
                                        {{"f", Tensor::of<int64_t>({1}, {7})}});
        const auto second = checkpointOf({{"w", floats({1, 2, 3})}, {"b", floats({1})}},
                                         {{"f", Tensor::of<int64_t>({1}, {9})}});
        const CheckpointDiff diff = compareCheckpoints(first, second);
        QCOMPARE(diff.parameters[0].mismatch, std::string("float32[2] against float32[3]"));
        QCOMPARE(diff.parameters[1].name, std::string("f"));
        QCOMPARE(diff.parameters[1].maxChange, 2.0);
        QCOMPARE(diff.onlyInFirst, std::vector<std::string>{"a"});
        QCOMPARE(diff.onlyInSecond, std::vector<std::string>{"b"});
        QVERIFY(!diff.sameStructure());
        QVERIFY_EXCEPTION_THROWN(interpolateCheckpoints(first, second, 0.5), Error);
    }

    void mixturesLieBetween() {
        CheckpointFile first = checkpointOf({{"w", floats({0, 4})}}, {{"n", floats({1})}});
        first.properties["epoch"] = int64_t{3};
        const CheckpointFile second = checkpointOf({{"w", floats({8, -4})}}, {{"n", floats({3})}});
        const CheckpointFile mixed = interpolateCheckpoints(first, second, 0.25);
        const auto w = mixed.trainable.front().data.values<float>();
        QCOMPARE((std::vector<float>{w.begin(), w.end()}), (std::vector<float>{2, 2}));
        QCOMPARE(mixed.frozen.front().data.values<float>()[0], 1.5F);
        QVERIFY(mixed.properties == first.properties);
        QVERIFY(compareCheckpoints(interpolateCheckpoints(first, second, 1), second)
                    .parameters.front()
                    .isSame());
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CheckpointDiffTest)
#include "checkpoint_diff_test.moc"
