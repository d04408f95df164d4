// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/partial_sums.h"

#include <QTest>
#include <algorithm>

#include "engine/core/random.h"

using namespace temper;

namespace {

constexpr int64_t kCount = 100;

std::vector<float> partOf(int64_t part) {
    Random random(static_cast<uint64_t>(part), 9);
    std::vector<float> numbers(kCount);
    for (float& number : numbers) number = random.uniform() - 0.5F;
    return numbers;
}

/// Each part weighs one more than the one before.
float weightOf(int64_t part) { return static_cast<float>(part + 1) / 7; }

std::vector<float> sumOf(PartRange parts) {
    if (parts.count() == 1) {
        std::vector<float> numbers = partOf(parts.begin);
        for (float& number : numbers) number *= weightOf(parts.begin);
        return numbers;
    }
    int64_t first = 1;
    while (2 * first < parts.count()) first *= 2;
    std::vector<float> sum = sumOf({parts.begin, parts.begin + first});
    const std::vector<float> rest = sumOf({parts.begin + first, parts.end});
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += rest[i];
    return sum;
}

}  // namespace

class PartialSumsTest : public QObject {
    Q_OBJECT

private slots:
    void theNodesAreSumsOfSubtrees() {
        ThreadPool pool(2);
        for (int64_t count = 1; count <= 13; ++count) {
            for (int ranks = 1; ranks <= count; ++ranks) {
                const SumTree tree(count, ranks);
                for (int rank = 0; rank < ranks; ++rank) {
                    std::vector<float> memory(kCount);
                    PartialSums sums(tree, rank, memory.data(), kCount, pool);
                    for (int step = 0; step < 2; ++step) {
                        sums.begin();
                        const PartRange mine = tree.partsOf(rank);
                        for (int64_t part = mine.begin; part < mine.end; ++part) {
                            std::ranges::copy(partOf(part), memory.begin());
                            if (part + 1 < mine.end) sums.add(weightOf(part));
                        }
                        // in two pieces, as gradients appear
                        sums.finish(60, kCount, weightOf(mine.end - 1));
                        sums.finish(0, 60, weightOf(mine.end - 1));
                        const std::vector<PartRange> ranges = tree.nodesOf(rank);
                        const std::vector<float*> nodes = sums.nodesFrom(0);
                        QCOMPARE(nodes.size(), ranges.size());
                        for (size_t i = 0; i < nodes.size(); ++i) {
                            const std::vector<float> expected = sumOf(ranges[i]);
                            QVERIFY(std::equal(expected.begin(), expected.end(), nodes[i]));
                        }
                        QCOMPARE(nodes.back(), memory.data());
                    }
                }
            }
        }
    }

    void aRankWithoutPartsHasNoNodes() {
        ThreadPool pool(1);
        std::vector<float> memory(kCount);
        const PartialSums sums(SumTree(2, 3), 0, memory.data(), kCount, pool);
        QVERIFY(sums.nodesFrom(0).empty());
    }
};

QTEST_APPLESS_MAIN(PartialSumsTest)
#include "partial_sums_test.moc"
