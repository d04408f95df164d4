// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/sum_tree.h"

#include <QTest>
#include <numeric>

#include "engine/core/random.h"

using namespace temper;

namespace {

/// The tree as its definition says it.
float sumOf(const std::vector<float>& parts, size_t begin, size_t end) {
    if (end - begin == 1) return parts[begin];
    size_t first = 1;
    while (2 * first < end - begin) first *= 2;
    return sumOf(parts, begin, begin + first) + sumOf(parts, begin + first, end);
}

std::vector<float> randomParts(int64_t count) {
    Random random(7, 1);
    std::vector<float> parts;
    for (int64_t i = 0; i < count; ++i)
        parts.push_back(static_cast<float>(random.uniform() * 1000 - 500));
    return parts;
}

}  // namespace

class SumTreeTest : public QObject {
    Q_OBJECT

private slots:
    void ranksShareOutAllPartsInOrder() {
        for (int64_t parts = 1; parts <= 33; ++parts) {
            for (int ranks = 1; ranks <= parts; ++ranks) {
                const SumTree tree(parts, ranks);
                int64_t next = 0;
                for (int rank = 0; rank < ranks; ++rank) {
                    QVERIFY(tree.partsOf(rank).count() >= parts / ranks);
                    for (const PartRange node : tree.nodesOf(rank)) {
                        QCOMPARE(node.begin, next);
                        QVERIFY(node.end > node.begin);
                        next = node.end;
                    }
                    QCOMPARE(next, tree.partsOf(rank).end);
                }
                QCOMPARE(next, parts);
            }
        }
    }

    void aRankHasFewNodes() {
        for (int ranks = 1; ranks <= 64; ++ranks) {
            const SumTree tree(1024, ranks);
            for (int rank = 0; rank < ranks; ++rank) QVERIFY(tree.nodesOf(rank).size() <= 2 * 10);
        }
        QCOMPARE(SumTree(8, 4).nodesOf(2), (std::vector<PartRange>{{4, 6}}));
        QCOMPARE(SumTree(4, 3).nodesOf(2), (std::vector<PartRange>{{2, 4}}));
        QCOMPARE(SumTree(6, 2).nodesOf(0), (std::vector<PartRange>{{0, 2}, {2, 3}}));
    }

    /// Each rank adds up its own nodes first; the bits are the definition's.
    void theSumIsTheSameOnAnyNumberOfRanks() {
        for (int64_t count = 1; count <= 24; ++count) {
            const std::vector<float> parts = randomParts(count);
            const float expected = sumOf(parts, 0, parts.size());
            for (int ranks = 1; ranks <= count; ++ranks) {
                const SumTree tree(count, ranks);
                std::vector<PartRange> nodes;
                std::vector<float> numbers;
                for (int rank = 0; rank < ranks; ++rank) {
                    for (const PartRange node : tree.nodesOf(rank)) {
                        nodes.push_back(node);
                        numbers.push_back(sumOf(parts, size_t(node.begin), size_t(node.end)));
                    }
                }
                std::vector<float*> pointers;
                for (float& number : numbers) pointers.push_back(&number);
                QCOMPARE(*tree.fold(nodes, pointers, 1), expected);
            }
        }
    }

    void siblingsAreTheHalvesOfASubtree() {
        const SumTree tree(6, 1);
        QVERIFY(tree.areSiblings({0, 4}, {4, 6}));
        QVERIFY(tree.areSiblings({2, 3}, {3, 4}));
        QVERIFY(!tree.areSiblings({1, 2}, {2, 3}));
        QVERIFY(!tree.areSiblings({0, 2}, {3, 4}));
        QVERIFY(!tree.areSiblings({2, 4}, {4, 6}));
    }
};

QTEST_APPLESS_MAIN(SumTreeTest)
#include "sum_tree_test.moc"
