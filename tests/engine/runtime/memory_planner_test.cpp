// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "engine/core/random.h"
#include "engine/runtime/planning/memory_planner.h"

namespace temper::test {

class MemoryPlannerTest : public QObject {
    Q_OBJECT

private slots:
    void buffersAliveTogetherDoNotOverlap_data();
    void buffersAliveTogetherDoNotOverlap();
    void placesAreThoseOfADirectSearch_data();
    void placesAreThoseOfADirectSearch();
    void aChainNeedsTwoBuffers();
    void aGapIsUsedAgain();
    void emptyBuffersTakeNoSpace();
    void thousandsOfGapsTakeLittleTime();
};

std::vector<Lifetime> randomLifetimes(uint64_t seed, int count) {
    Random random(seed);
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < count; ++i) {
        const auto first = static_cast<uint32_t>(random.below(50));
        lifetimes.push_back({static_cast<size_t>(random.below(5000)), first,
                             first + static_cast<uint32_t>(random.below(20))});
    }
    return lifetimes;
}

/// No layout can be smaller than the largest sum of sizes alive at one step.
size_t lowerBound(const std::vector<Lifetime>& lifetimes) {
    size_t most = 0;
    for (uint32_t step = 0; step < 80; ++step) {
        size_t alive = 0;
        for (const Lifetime& l : lifetimes) {
            if (l.first <= step && step <= l.last) alive += l.bytes;
        }
        most = std::max(most, alive);
    }
    return most;
}

void MemoryPlannerTest::buffersAliveTogetherDoNotOverlap_data() {
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= 8; ++seed) QTest::addRow("seed %llu", seed) << seed;
}

void MemoryPlannerTest::buffersAliveTogetherDoNotOverlap() {
    QFETCH(quint64, seed);
    const std::vector<Lifetime> lifetimes = randomLifetimes(seed, 100);
    const MemoryLayout layout = planMemory(lifetimes);
    for (size_t a = 0; a < lifetimes.size(); ++a) {
        QCOMPARE(layout.offsets[a] % kBufferAlignment, size_t{0});
        QVERIFY(layout.offsets[a] + lifetimes[a].bytes <= layout.bytes);
        for (size_t b = 0; b < a; ++b) {
            const bool together =
                lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
            const bool apart = layout.offsets[a] + lifetimes[a].bytes <= layout.offsets[b] ||
                               layout.offsets[b] + lifetimes[b].bytes <= layout.offsets[a];
            QVERIFY(!together || apart || lifetimes[a].bytes == 0 || lifetimes[b].bytes == 0);
        }
    }
    QVERIFY(layout.bytes >= lowerBound(lifetimes));
    QVERIFY(layout.bytes < lowerBound(lifetimes) * 3 / 2);
}

/// The smallest sufficient gap between the placed buffers that are alive together with `lifetime`.
size_t directPlace(const Lifetime& lifetime, const std::vector<Lifetime>& placed,
                   const std::vector<size_t>& offsets) {
    const auto aligned = [](size_t bytes) {
        return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    };
    std::vector<std::pair<size_t, size_t>> taken;
    for (size_t i = 0; i < placed.size(); ++i) {
        if (placed[i].first <= lifetime.last && lifetime.first <= placed[i].last)
            taken.emplace_back(offsets[i], offsets[i] + aligned(placed[i].bytes));
    }
    std::ranges::sort(taken);
    size_t end = 0;
    std::vector<std::pair<size_t, size_t>> gaps;  // size and begin
    for (const auto& [begin, behind] : taken) {
        if (begin > end && begin - end >= aligned(lifetime.bytes))
            gaps.emplace_back(begin - end, end);
        end = std::max(end, behind);
    }
    return gaps.empty() ? end : std::ranges::min(gaps).second;
}

void MemoryPlannerTest::placesAreThoseOfADirectSearch_data() {
    buffersAliveTogetherDoNotOverlap_data();
}

void MemoryPlannerTest::placesAreThoseOfADirectSearch() {
    QFETCH(quint64, seed);
    std::vector<Lifetime> lifetimes = randomLifetimes(seed, 400);
    for (uint32_t i = 0; i < 50; ++i) lifetimes.push_back({64 * (i % 9), i, 100 - i});
    const MemoryLayout layout = planMemory(lifetimes);
    std::vector<size_t> order;
    for (size_t i = 0; i < lifetimes.size(); ++i) {
        if (lifetimes[i].bytes > 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t i) { return lifetimes[i].bytes; });
    std::vector<Lifetime> placed;
    std::vector<size_t> offsets;
    for (const size_t i : order) {
        const size_t expected = directPlace(lifetimes[i], placed, offsets);
        QCOMPARE(layout.offsets[i], expected);
        placed.push_back(lifetimes[i]);
        offsets.push_back(expected);
    }
}

void MemoryPlannerTest::aChainNeedsTwoBuffers() {
    std::vector<Lifetime> chain;
    for (uint32_t i = 0; i < 10; ++i) chain.push_back({1024, i, i + 1});
    QCOMPARE(planMemory(chain).bytes, size_t{2048});
}

void MemoryPlannerTest::aGapIsUsedAgain() {
    const std::vector<Lifetime> lifetimes = {
        {4096, 0, 9}, {1024, 0, 2}, {2048, 0, 9}, {1024, 3, 9}};
    const MemoryLayout layout = planMemory(lifetimes);
    QCOMPARE(layout.offsets[1], layout.offsets[3]);
    QCOMPARE(layout.bytes, size_t{4096 + 2048 + 1024});
}

void MemoryPlannerTest::emptyBuffersTakeNoSpace() {
    const std::vector<Lifetime> lifetimes = {{0, 0, 5}, {64, 0, 5}, {0, 2, 3}};
    QCOMPARE(planMemory(lifetimes).bytes, size_t{64});
    QCOMPARE(planMemory({}).bytes, size_t{0});
}

/// Buffers of any size and lifetime leave gaps of any size at every step.
void MemoryPlannerTest::thousandsOfGapsTakeLittleTime() {
    constexpr int64_t kSteps = 50'000;
    Random random(1);
    std::vector<Lifetime> lifetimes;
    size_t sum = 0;
    for (int64_t i = 0; i < kSteps; ++i) {
        const int64_t a = random.below(kSteps);
        const int64_t b = random.below(kSteps);
        const auto bytes = kBufferAlignment * static_cast<size_t>(1 + random.below(100));
        lifetimes.push_back(
            {bytes, static_cast<uint32_t>(std::min(a, b)), static_cast<uint32_t>(std::max(a, b))});
        sum += bytes;
    }
    const MemoryLayout layout = planMemory(lifetimes);
    QVERIFY(layout.bytes < sum * 6 / 10);  // half of them are alive at the middle step
    std::vector<size_t> begins;  // those that begin at a step, after those that have ended
    for (size_t i = 0; i < lifetimes.size(); ++i) begins.push_back(i);
    std::ranges::sort(begins, {}, [&](size_t i) { return lifetimes[i].first; });
    std::vector<size_t> ends = begins;
    std::ranges::sort(ends, {}, [&](size_t i) { return lifetimes[i].last; });
    std::map<size_t, size_t> alive;  // offset and end
    auto ended = ends.begin();
    for (const size_t i : begins) {
        for (; lifetimes[*ended].last < lifetimes[i].first; ++ended)
            alive.erase(layout.offsets[*ended]);
        const auto [place, isNew] =
            alive.emplace(layout.offsets[i], layout.offsets[i] + lifetimes[i].bytes);
        QVERIFY(isNew);
        QVERIFY(place->second <= layout.bytes);
        if (place != alive.begin()) QVERIFY(std::prev(place)->second <= place->first);
        if (std::next(place) != alive.end()) QVERIFY(place->second <= std::next(place)->first);
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::MemoryPlannerTest)
#include "memory_planner_test.moc"
