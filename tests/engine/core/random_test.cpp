// SPDX-License-Identifier: Apache-2.0
#include "engine/core/random.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace temper::test {

/// The first numbers of SplitMix64 from the state 0, as published with its source.
constexpr std::array<uint64_t, 5> kReference = {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4,
                                                0x06C45D188009454F, 0xF88BB8A8724C81EC,
                                                0x1B39896A51A8749B};
/// Random mixes its seed; this seed leads to the state 0.
constexpr uint64_t kSeedOfStateZero = 0 - 0x9E3779B97F4A7C15ULL;

class RandomTest : public QObject {
    Q_OBJECT

private slots:
    void numbersAreThoseOfSplitMix64();
    void numbersByIndexAreThoseOfSplitMix64();
    void streamsOfASeedDiffer();
    void uniformNumbersFillTheUnitInterval();
    void normalNumbersHaveMeanZeroAndVarianceOne();
    void belowHitsEveryNumberEquallyOften();
    void permutationHasEveryIndexOnce();
    void permutationsOfThreeAreEquallyLikely();
};

void RandomTest::numbersAreThoseOfSplitMix64() {
    Random random(kSeedOfStateZero);
    for (const uint64_t expected : kReference) QCOMPARE(random.next(), expected);
}

void RandomTest::numbersByIndexAreThoseOfSplitMix64() {
    for (size_t i = 0; i < kReference.size(); ++i) {
        QCOMPARE(Random::at(kSeedOfStateZero, i + 1), kReference[i]);
    }
}

void RandomTest::streamsOfASeedDiffer() {
    std::set<uint64_t> first;
    for (uint64_t stream = 0; stream < 100; ++stream) first.insert(Random(7, stream).next());
    QCOMPARE(first.size(), size_t{100});
}

void RandomTest::uniformNumbersFillTheUnitInterval() {
    Random random(1);
    std::array<int, 10> buckets = {};
    for (int i = 0; i < 100'000; ++i) {
        const float number = random.uniform();
        QVERIFY(number >= 0.0F && number < 1.0F);
        ++buckets[static_cast<size_t>(number * 10.0F)];
    }
    // 5 standard deviations of a count with mean 10000.
    for (const int count : buckets) QVERIFY(std::abs(count - 10'000) < 475);
}

void RandomTest::normalNumbersHaveMeanZeroAndVarianceOne() {
    Random random(2);
    constexpr int kCount = 100'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kCount; ++i) {
        const double number = random.normal();
        sum += number;
        squares += number * number;
    }
    // 5 standard deviations of both estimates.
    QVERIFY(std::abs(sum / kCount) < 5 / std::sqrt(kCount));
    QVERIFY(std::abs(squares / kCount - 1) < 5 * std::sqrt(2.0 / kCount));
}

void RandomTest::belowHitsEveryNumberEquallyOften() {
    Random random(3);
    std::array<int, 7> counts = {};
    for (int i = 0; i < 70'000; ++i) ++counts.at(static_cast<size_t>(random.below(7)));
    for (const int count : counts) QVERIFY(std::abs(count - 10'000) < 475);
    QCOMPARE(random.below(1), int64_t{0});
}

void RandomTest::permutationHasEveryIndexOnce() {
    std::vector<int64_t> order = Random(4).permutation(1000);
    QVERIFY(!std::is_sorted(order.begin(), order.end()));
    std::sort(order.begin(), order.end());
    std::vector<int64_t> expected(1000);
    std::iota(expected.begin(), expected.end(), 0);
    QCOMPARE(order, expected);
    QVERIFY(Random(4).permutation(0).empty());
}

void RandomTest::permutationsOfThreeAreEquallyLikely() {
    Random random(5);
    std::map<std::vector<int64_t>, int> counts;
    for (int i = 0; i < 60'000; ++i) ++counts[random.permutation(3)];
    QCOMPARE(counts.size(), size_t{6});
    for (const auto& [order, count] : counts) QVERIFY(std::abs(count - 10'000) < 475);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::RandomTest)
#include "random_test.moc"
