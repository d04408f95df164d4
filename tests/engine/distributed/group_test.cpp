// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/group.h"

#include <QTest>
#include <algorithm>
#include <atomic>
#include <deque>
#include <numeric>

#include "engine/core/random.h"
#include "tests/engine/distributed/local_ranks.h"

using namespace temper;
using namespace temper::test;
using namespace std::chrono_literals;

namespace {

/// Part i of a sum of `count` numbers.
std::vector<float> partOf(int64_t part, int64_t count) {
    Random random(static_cast<uint64_t>(part), 3);
    std::vector<float> numbers(static_cast<size_t>(count));
    for (float& number : numbers) number = static_cast<float>(random.uniform() - 0.5);
    return numbers;
}

/// The nodes of a rank, computed with the tree of a single rank.
std::vector<std::vector<float>> nodesOf(const SumTree& tree, int rank, int64_t count) {
    std::vector<std::vector<float>> sums;
    for (const PartRange node : tree.nodesOf(rank)) {
        const SumTree inner(node.count(), static_cast<int>(node.count()));
        std::vector<std::vector<float>> parts;
        std::vector<PartRange> ranges;
        std::vector<float*> pointers;
        for (int64_t i = 0; i < node.count(); ++i) {
            parts.push_back(partOf(node.begin + i, count));
            ranges.push_back({i, i + 1});
        }
        for (auto& part : parts) pointers.push_back(part.data());
        const float* sum = inner.fold(ranges, pointers, count);
        sums.emplace_back(sum, sum + count);
    }
    return sums;
}

TreeSum treeSum(const SumTree& tree, std::vector<std::vector<float>>& nodes, int64_t count,
                float* result) {
    std::vector<float*> pointers;
    for (auto& node : nodes) pointers.push_back(node.data());
    return {tree, pointers, count, result};
}

std::vector<float> sumOnOneRank(int64_t parts, int64_t count) {
    const SumTree tree(parts, 1);
    return nodesOf(tree, 0, count).front();
}

}  // namespace

class GroupTest : public QObject {
    Q_OBJECT

    static void addRanks() {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4, 7, 8})
            QTest::newRow(qPrintable(QString("%1 ranks").arg(ranks))) << ranks;
    }

private slots:
    /// As MPI does it: the order is that in which they began to wait, not that of their questions.
    void messagesGoToTheirReceiversInOrder() {
        const std::vector<std::unique_ptr<Transport>> transports = makeLocalTransports(2);
        std::string first = "?", second = "?", a = "a", b = "b";
        const auto bytesOf = [](std::string& text) {
            return std::as_writable_bytes(std::span(text));
        };
        const auto one = transports[1]->receive(0, 7, bytesOf(first));
        const auto two = transports[1]->receive(0, 7, bytesOf(second));
        QVERIFY(!one->isDone());
        transports[0]->send(1, 7, bytesOf(a));
        QVERIFY(!two->isDone());
        transports[0]->send(1, 7, bytesOf(b));
        QVERIFY(two->isDone() && one->isDone());
        QCOMPARE(first, std::string("a"));
        QCOMPARE(second, std::string("b"));
    }

    void aProcessAloneExchangesNothing() {
        Group group;
        QCOMPARE(group.size(), 1);
        QVERIFY(group.isLeader());
        group.barrier();
        QCOMPARE(group.broadcast(std::string("text")), std::string("text"));
        QCOMPARE(group.gather("text"), std::vector<std::string>{"text"});
        std::vector<std::vector<float>> nodes{{1, 2, 3}};
        std::vector<float> result(3);
        group.beginAllReduce(0, treeSum({1, 1}, nodes, 3, result.data()))->wait();
        QCOMPARE(result, (std::vector<float>{1, 2, 3}));
        QCOMPARE(group.traffic().bytesSent, int64_t{0});
    }

    void shardsCoverAllNumbersInUnitsOf16() {
        for (const int64_t count : {0, 1, 15, 16, 17, 100, 1000}) {
            for (const int ranks : {1, 2, 3, 7}) {
                const ShardBorders borders = equalShards(count, ranks);
                QCOMPARE(borders.size(), size_t(ranks) + 1);
                QCOMPARE(borders.front(), int64_t{0});
                QCOMPARE(borders.back(), int64_t{count});
                QVERIFY(std::ranges::is_sorted(borders));
                for (const int64_t border : borders) QVERIFY(border % 16 == 0 || border == count);
            }
        }
    }

    void textsAndBytesReachEverybody_data() { addRanks(); }
    void textsAndBytesReachEverybody() {
        QFETCH(int, ranks);
        const auto errors = runRanks(ranks, [&](Group& group) {
            group.barrier();
            const std::string own = "from " + std::to_string(group.rank());
            for (int from = 0; from < ranks; ++from) {
                const std::string text(static_cast<size_t>(from) * 100, 'x');
                const std::string sent = group.rank() == from ? text : own;
                if (group.broadcast(sent, from) != text)
                    throw Error(ErrorCode::Internal, "another text");
            }
            const std::vector<std::string> all = group.gather(own);
            for (int rank = 0; rank < ranks; ++rank) {
                if (all[static_cast<size_t>(rank)] != "from " + std::to_string(rank))
                    throw Error(ErrorCode::Internal, "another text of rank");
            }
            const std::vector<std::string> collected = group.collect(own);
            if (group.isLeader() ? collected != all : collected != noErrors(ranks))
                throw Error(ErrorCode::Internal, "other texts were collected");
        });
        QCOMPARE(errors, noErrors(ranks));
    }

    void nobodyLeavesABarrierBeforeAllHaveReachedIt_data() { addRanks(); }
    void nobodyLeavesABarrierBeforeAllHaveReachedIt() {
        QFETCH(int, ranks);
        std::atomic<int> reached{0};
        const auto errors = runRanks(ranks, [&](Group& group) {
            for (int round = 1; round <= 5; ++round) {
                ++reached;
                group.barrier();
                if (reached < round * ranks) throw Error(ErrorCode::Internal, "too early");
                group.barrier();
            }
        });
        QCOMPARE(errors, noErrors(ranks));
    }

    /// Several at a time, which the ranks begin in different orders.
    void sumsHaveTheBitsOfOneRank_data() { addRanks(); }
    void sumsHaveTheBitsOfOneRank() {
        QFETCH(int, ranks);
        const std::vector<int64_t> counts{1, 40, 1000};
        for (const int64_t parts : {8, 12}) {
            const SumTree tree(parts, ranks);
            const auto errors = runRanks(ranks, [&](Group& group) {
                std::vector<std::vector<std::vector<float>>> nodes;
                std::vector<std::vector<float>> results;
                for (const int64_t count : counts) {
                    nodes.push_back(nodesOf(tree, group.rank(), count));
                    results.emplace_back(static_cast<size_t>(count));
                }
                std::vector<std::shared_ptr<Exchange>> exchanges(counts.size());
                for (size_t i = 0; i < counts.size(); ++i) {
                    const size_t at = group.rank() % 2 == 0 ? i : counts.size() - 1 - i;
                    exchanges[at] = group.beginAllReduce(
                        static_cast<int>(at),
                        treeSum(tree, nodes[at], counts[at], results[at].data()));
                }
                for (size_t i = 0; i < counts.size(); ++i) {
                    exchanges[i]->wait();
                    if (results[i] != sumOnOneRank(parts, counts[i]))
                        throw Error(ErrorCode::Internal, "other bits");
                }
            });
            QCOMPARE(errors, noErrors(ranks));
        }
    }

    void shardsOfASumAreGathered() {
        const int64_t count = 100;
        const auto errors = runRanks(3, [&](Group& group) {
            const SumTree tree(4, 3);
            const std::vector<float> expected = sumOnOneRank(4, count);
            auto nodes = nodesOf(tree, group.rank(), count);
            std::vector<float> result(static_cast<size_t>(count));
            const ShardBorders shards{0, 10, 10, 100};  // rank 1 owns nothing
            TreeSum sum = treeSum(tree, nodes, count, result.data());
            sum.shards = shards;
            group.beginReduceScatter(5, sum)->wait();
            const auto rank = static_cast<size_t>(group.rank());
            for (int64_t i = 0; i < count; ++i) {
                const bool isMine = shards[rank] <= i && i < shards[rank + 1];
                const auto at = static_cast<size_t>(i);
                if (result[at] != (isMine ? expected[at] : 0))
                    throw Error(ErrorCode::Internal, "another shard");
            }
            group.beginAllGather(5, result.data(), shards)->wait();
            if (result != expected) throw Error(ErrorCode::Internal, "another sum");
        });
        QCOMPARE(errors, noErrors(3));
    }

    /// Each number crosses the network as often as in a ring.
    void aSumOverEqualSharesSendsTwiceItsSize() {
        std::vector<int64_t> sent(4);
        const int64_t count = 64000;
        const auto errors = runRanks(4, [&](Group& group) {
            const SumTree tree(4, 4);
            auto nodes = nodesOf(tree, group.rank(), count);
            group.beginAllReduce(0, treeSum(tree, nodes, count, nodes.front().data()))->wait();
            sent[static_cast<size_t>(group.rank())] = group.traffic().bytesSent;
        });
        QCOMPARE(errors, noErrors(4));
        for (const int64_t bytes : sent) QCOMPARE(bytes, 2 * count * 4 * 3 / 4);
    }

    void aSubgroupHasItsOwnRanks() {
        Group alone;
        QCOMPARE(alone.subgroup({0}).size(), 1);
        const auto errors = runRanks(6, [&](Group& group) {
            // Rows and columns of a grid of 2 x 3.
            const int row = group.rank() / 3, column = group.rank() % 3;
            Group inRow = group.subgroup({3 * row, 3 * row + 1, 3 * row + 2});
            Group inColumn = group.subgroup({3 + column, column});  // in another order
            if (inRow.rank() != column || inRow.size() != 3 || inRow.isLeader() != (column == 0))
                throw Error(ErrorCode::Internal, "another place in the row");
            if (inColumn.rank() != 1 - row || inColumn.size() != 2)
                throw Error(ErrorCode::Internal, "another place in the column");
            const std::string own = std::to_string(group.rank());
            for (int round = 0; round < 3; ++round) {
                const std::vector<std::string> texts = inRow.gather(own);
                for (int i = 0; i < 3; ++i) {
                    if (texts[static_cast<size_t>(i)] != std::to_string(3 * row + i))
                        throw Error(ErrorCode::Internal, "another text of the row");
                }
                inRow.barrier();
                if (inColumn.broadcast(own) != std::to_string(3 + column))
                    throw Error(ErrorCode::Internal, "another text of the column");
                if (group.broadcast(own, 5) != "5")
                    throw Error(ErrorCode::Internal, "another text of all");
            }
            float sum = static_cast<float>(group.rank());
            inRow.beginAllReduce(3, {SumTree(3, 3), {&sum}, 1, &sum})->wait();
            if (sum != static_cast<float>(9 * row + 3))
                throw Error(ErrorCode::Internal, "another sum of the row");
            Group inner = inRow.subgroup({column});
            if (inner.size() != 1 || inner.gather(own) != std::vector<std::string>{own})
                throw Error(ErrorCode::Internal, "a subgroup of one rank is not alone");
        });
        QCOMPARE(errors, noErrors(6));
    }

    void theErrorOfASubgroupNamesTheRankOfTheRun() {
        const auto errors = runRanks(4, [&](Group& group) {
            const int first = group.rank() / 2 * 2;
            Group pair = group.subgroup({first, first + 1});
            if (group.rank() == 3) {
                pair.fail(Error(ErrorCode::Io, "The disk is full."));
                throw Error(ErrorCode::Io, "The disk is full.");
            }
            while (!group.failure()) std::this_thread::sleep_for(1ms);
            pair.barrier();
        });
        for (const size_t rank : {0, 1, 2})
            QCOMPARE(errors[rank], std::string("rank 3: The disk is full."));
    }

    /// Rank 1 owns nothing.
    void everybodyGetsTheNumbersOfItsShard() {
        const int64_t count = 40;
        const ShardBorders shards{0, 16, 16, 40};
        const auto errors = runRanks(3, [&](Group& group) {
            const auto rank = static_cast<size_t>(group.rank());
            const std::vector<float> own = partOf(group.rank(), count);
            std::vector<std::vector<float>> theirs(3);
            for (size_t other = 0; other < theirs.size(); ++other) {
                if (other != rank)
                    theirs[other].resize(static_cast<size_t>(shards[rank + 1] - shards[rank]));
            }
            std::vector<float*> received;
            for (auto& numbers : theirs) received.push_back(numbers.data());
            group.beginShardExchange(2, own.data(), shards, received)->wait();
            for (size_t other = 0; other < theirs.size(); ++other) {
                const std::vector<float> all = partOf(static_cast<int64_t>(other), count);
                if (other != rank && !std::equal(theirs[other].begin(), theirs[other].end(),
                                                 all.begin() + shards[rank]))
                    throw Error(ErrorCode::Internal, "other numbers");
            }
        });
        QCOMPARE(errors, noErrors(3));
    }

    /// In both directions at once, also messages without bytes; nobody waits for what it sends.
    void messagesGoFromRankToRankInOrder() {
        constexpr int kMessages = 20;
        const auto errors = runRanks(3, [&](Group& group) {
            const auto bytesOf = [](std::string& text) {
                return std::as_writable_bytes(std::span(text));
            };
            const int next = (group.rank() + 1) % 3, previous = (group.rank() + 2) % 3;
            const auto textOf = [](int from, int to, int i) {
                return std::string(static_cast<size_t>(i) * 50, static_cast<char>('a' + from)) +
                       (i == 0 ? "" : std::to_string(to));
            };
            std::deque<std::string> sent;
            std::vector<std::shared_ptr<Exchange>> exchanges;
            for (int i = 0; i < kMessages; ++i) {
                for (const int to : {next, previous}) {
                    sent.push_back(textOf(group.rank(), to, i));
                    exchanges.push_back(group.beginSend(4, to, bytesOf(sent.back())));
                }
            }
            for (const int from : {previous, next}) {
                for (int i = 0; i < kMessages; ++i) {
                    const std::string expected = textOf(from, group.rank(), i);
                    std::string found(expected.size(), ' ');
                    group.beginReceive(4, from, bytesOf(found))->wait();
                    if (found != expected) throw Error(ErrorCode::Internal, "another message");
                }
            }
            for (const auto& exchange : exchanges) exchange->wait();
        });
        QCOMPARE(errors, noErrors(3));
    }

    void theErrorOfARankEndsAll_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("failing");
        for (const int ranks : {2, 3, 5}) {
            for (int failing = 0; failing < ranks; ++failing)
                QTest::addRow("rank %d of %d", failing, ranks) << ranks << failing;
        }
    }
    void theErrorOfARankEndsAll() {
        QFETCH(int, ranks);
        QFETCH(int, failing);
        const auto errors = runRanks(ranks, [&](Group& group) {
            group.barrier();
            if (group.rank() == failing) throw Error(ErrorCode::Io, "The disk is full.");
            group.barrier();
        });
        const std::string expected = "rank " + std::to_string(failing) + ": The disk is full.";
        for (size_t rank = 0; rank < errors.size(); ++rank)
            QCOMPARE(errors[rank],
                     static_cast<int>(rank) == failing ? "The disk is full." : expected);
    }

    /// As if its process had been killed, or had stopped.
    void aRankThatFallsSilentIsNamed() {
        Transports transports = makeLocalTransports(4);
        transports[2].reset();
        const auto errors =
            runRanks(std::move(transports), {1s, 50ms}, [](Group& group) { group.barrier(); });
        for (const size_t i : {0, 1, 3}) {
            QVERIFY2(errors[i].starts_with("Rank 2 has not answered for 1 s"), errors[i].c_str());
        }
    }

    void afterAFailureNothingIsBegun() {
        const auto errors = runRanks(2, [&](Group& group) {
            group.fail(Error(ErrorCode::State, "Enough."));
            while (!group.failure()) std::this_thread::sleep_for(1ms);
            group.barrier();
        });
        for (const std::string& error : errors) QVERIFY(error.find("Enough.") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(GroupTest)
#include "group_test.moc"
