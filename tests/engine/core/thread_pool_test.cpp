// SPDX-License-Identifier: Apache-2.0
#include "engine/core/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace temper::test {

class ThreadPoolTest : public QObject {
    Q_OBJECT

private slots:
    void everyTaskRunsOnce_data();
    void everyTaskRunsOnce();
    void rangesCoverTheCountInPiecesOfTheGrain_data();
    void rangesCoverTheCountInPiecesOfTheGrain();
    void tasksRunOnAllThreadsAtTheSameTime();
    void exceptionOfATaskArrivesAndThePoolContinues_data();
    void exceptionOfATaskArrivesAndThePoolContinues();
    void jobsThatFollowEachOtherDoNotMix_data();
    void jobsThatFollowEachOtherDoNotMix();
    void threadsThatSleepAreWokenForTheNextJob();
    void startFunctionRunsInEachWorker();
    void zeroMeansOneThreadPerCore();
    void aForkedProcessDestroysThePoolOfItsParent();
};

void ThreadPoolTest::everyTaskRunsOnce_data() {
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 5}) QTest::addRow("%d threads", threads) << threads;
}

void ThreadPoolTest::everyTaskRunsOnce() {
    QFETCH(int, threads);
    ThreadPool pool(threads);
    QCOMPARE(pool.threads(), threads);
    for (const int64_t count : {0, 1, 2, 1000}) {
        for (int round = 0; round < 50; ++round) {
            std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
            pool.forEach(count, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
            QVERIFY(std::all_of(runs.begin(), runs.end(), [](const auto& n) { return n == 1; }));
        }
    }
}

void ThreadPoolTest::rangesCoverTheCountInPiecesOfTheGrain_data() {
    QTest::addColumn<int64_t>("count");
    QTest::addColumn<int64_t>("grain");
    QTest::addColumn<int>("ranges");
    QTest::newRow("nothing") << int64_t{0} << int64_t{4} << 0;
    QTest::newRow("less than a grain") << int64_t{3} << int64_t{4} << 1;
    QTest::newRow("even") << int64_t{8} << int64_t{4} << 2;
    QTest::newRow("with a rest") << int64_t{9} << int64_t{4} << 3;
}

void ThreadPoolTest::rangesCoverTheCountInPiecesOfTheGrain() {
    QFETCH(int64_t, count);
    QFETCH(int64_t, grain);
    QFETCH(int, ranges);
    ThreadPool pool(3);
    std::mutex mutex;
    std::set<std::pair<int64_t, int64_t>> seen;
    pool.forRanges(count, grain, [&](int64_t begin, int64_t end) {
        const std::lock_guard lock(mutex);
        seen.emplace(begin, end);
    });
    QCOMPARE(static_cast<int>(seen.size()), ranges);
    int64_t position = 0;
    for (const auto& [begin, end] : seen) {
        QCOMPARE(begin, position);
        QVERIFY(end - begin == grain || end == count);
        position = end;
    }
    QCOMPARE(position, count);
}

/// Each task waits for all others: with fewer threads this would never end.
void ThreadPoolTest::tasksRunOnAllThreadsAtTheSameTime() {
    ThreadPool pool(4);
    std::atomic<int> arrived = 0;
    pool.forEach(4, [&](int64_t) {
        ++arrived;
        while (arrived < 4) std::this_thread::yield();
    });
    QCOMPARE(arrived.load(), 4);
}

void ThreadPoolTest::exceptionOfATaskArrivesAndThePoolContinues_data() { everyTaskRunsOnce_data(); }

void ThreadPoolTest::exceptionOfATaskArrivesAndThePoolContinues() {
    QFETCH(int, threads);
    ThreadPool pool(threads);
    const auto failing = [](int64_t i) {
        if (i == 7) throw std::runtime_error("task 7");
    };
    for (int round = 0; round < 20; ++round) {
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, pool.forEach(10, failing));
        std::atomic<int> runs = 0;
        pool.forEach(10, [&](int64_t) { ++runs; });
        QCOMPARE(runs.load(), 10);
    }
}

void ThreadPoolTest::jobsThatFollowEachOtherDoNotMix_data() { everyTaskRunsOnce_data(); }

/// A thread may arrive after its job is over and the next, of another size, has begun.
void ThreadPoolTest::jobsThatFollowEachOtherDoNotMix() {
    QFETCH(int, threads);
    ThreadPool pool(threads);
    for (int64_t job = 0; job < 20000; ++job) {
        const int64_t count = 2 + job * 7 % 11;
        std::array<std::atomic<int64_t>, 12> seen{};
        pool.forEach(count, [&seen, job](int64_t i) { seen.at(i) += job + 1; });
        for (int64_t i = 0; i < 12; ++i) QCOMPARE(seen.at(i).load(), i < count ? job + 1 : 0);
    }
}

void ThreadPoolTest::threadsThatSleepAreWokenForTheNextJob() {
    ThreadPool pool(2);
    for (int job = 0; job < 10; ++job) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than idle threads spin
        std::atomic<int> arrived = 0;
        pool.forEach(2, [&](int64_t) {
            ++arrived;
            while (arrived < 2) std::this_thread::yield();
        });
        QCOMPARE(arrived.load(), 2);
    }
}

void ThreadPoolTest::startFunctionRunsInEachWorker() {
    std::atomic<int> starts = 0;
    {
        ThreadPool pool(4, [&] { ++starts; });
        QVERIFY(pool.threads() == 4);
    }
    QCOMPARE(starts.load(), 3);  // the caller is the fourth
}

void ThreadPoolTest::zeroMeansOneThreadPerCore() {
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    QCOMPARE(ThreadPool(0).threads(), cores);
}

void ThreadPoolTest::aForkedProcessDestroysThePoolOfItsParent() {
    auto pool = std::make_unique<ThreadPool>(3);
    pool->forEach(3, [](int64_t) {});
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);  // ends a process that waits for threads that it does not have
        pool.reset();
        _exit(0);
    }
    int status = -1;
    QCOMPARE(waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ThreadPoolTest)
#include "thread_pool_test.moc"
