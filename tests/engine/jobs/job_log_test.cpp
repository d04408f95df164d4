// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <thread>

#include "engine/core/random.h"
#include "engine/jobs/job_log.h"
#include "engine/runs/run_log.h"

namespace temper::test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// The log of a run, followed from elsewhere.
class JobLogTest : public QObject {
    Q_OBJECT

private slots:
    void aLogThatIsNotThereHasNothingNew() {
        LogFollower follower;
        const auto news = next(file("none"), follower);
        QVERIFY(news.events.empty() && !news.startsOver);
        QCOMPARE(follower.position(), 0);
    }

    void everyEventArrivesOnce() {
        const fs::path path = file("once");
        RunLog log(path);
        log.write(RunSettings{});
        LogFollower follower;
        std::vector<std::string> seen;
        Random random(1);
        for (int64_t step = 1; step <= 500; ++step) {
            log.write(stepEvent(step));
            if (random.below(7) == 0) take(path, follower, seen);
        }
        take(path, follower, seen);
        QVERIFY(seen == linesOf(path));
        QCOMPARE(seen.size(), size_t{500});
    }

    void aLineThatIsBeingWrittenWaits() {
        const fs::path path = file("part");
        std::ofstream(path) << toJsonLine(stepEvent(1)) << '\n'
                            << toJsonLine(stepEvent(2)).substr(0, 20);
        LogFollower follower;
        QCOMPARE(next(path, follower).events.size(), size_t{1});
        std::ofstream(path, std::ios::app) << toJsonLine(stepEvent(2)).substr(20) << '\n';
        const auto news = next(path, follower);
        QCOMPARE(news.events.size(), size_t{1});
        QCOMPARE(stepOf(news.events.front()), int64_t{2});
    }

    void aRunThatGoesBackStartsOver() {
        const fs::path path = file("back");
        auto log = std::make_unique<RunLog>(path);
        for (int64_t step = 1; step <= 10; ++step) log->write(stepEvent(step));
        LogFollower follower;
        QCOMPARE(next(path, follower).events.size(), size_t{10});
        log.reset();
        log = RunLog::continued(path, 4);
        for (int64_t step = 5; step <= 12; ++step) log->write(stepEvent(step));
        const auto news = next(path, follower);
        QVERIFY(news.startsOver);
        QCOMPARE(news.events.size(), size_t{12});
        QVERIFY(!next(path, follower).startsOver);
    }

    void aLongLogComesInPieces() {
        const fs::path path = file("long");
        RunLog log(path);
        int64_t steps = 0;
        while (fs::file_size(path) < 2 * kLongestPiece) {
            for (int i = 0; i < 1000; ++i) log.write(stepEvent(++steps));
        }
        LogFollower follower;
        std::vector<std::string> seen;
        const LogPiece first = readLogPiece(path, "", 0, milliseconds(0));
        QCOMPARE(static_cast<int64_t>(first.bytes.size()), kLongestPiece);
        while (static_cast<int64_t>(seen.size()) < steps) {
            const size_t before = seen.size();
            take(path, follower, seen);
            QVERIFY(seen.size() > before);
        }
        QVERIFY(seen == linesOf(path));
    }

    void somethingNewEndsTheWait() {
        const fs::path path = file("wait");
        RunLog log(path);
        log.write(stepEvent(1));
        LogFollower follower;
        QCOMPARE(next(path, follower).events.size(), size_t{1});
        std::jthread writer([&log] {
            std::this_thread::sleep_for(milliseconds(50));
            log.write(stepEvent(2));
        });
        // Without an end of the wait, this would take an hour.
        const LogPiece piece =
            readLogPiece(path, follower.generation(), follower.position(), std::chrono::hours(1));
        QCOMPARE(follower.take(piece).events.size(), size_t{1});
    }

    void theLastEventsTellWhetherItIsPaused() {
        const fs::path path = file("paused");
        RunLog log(path);
        QVERIFY(!isPausedNow(file("nothing")));
        QVERIFY(!isPausedNow(path));
        for (int64_t step = 1; step <= 1000; ++step) log.write(stepEvent(step));
        QVERIFY(!isPausedNow(path));
        log.write(RunEvent{2, PausedEvent{1000}});
        QVERIFY(isPausedNow(path));
        log.write(RunEvent{2, CheckpointEvent{1000, "pause", "pause.ckpt"}});
        QVERIFY(isPausedNow(path));
        log.write(stepEvent(1001));  // a single one
        log.write(RunEvent{2, LearningRateEvent{1001, 0.1, false}});
        QVERIFY(isPausedNow(path));
        log.write(RunEvent{3, ResumedEvent{1000}});
        QVERIFY(!isPausedNow(path));
    }

private:
    static RunEvent stepEvent(int64_t step) {
        return {0.5 * static_cast<double>(step),
                StepEvent{step, 0.5, 1.0 / static_cast<double>(step), 1e-3, 2, 8}};
    }
    static LogFollower::News next(const fs::path& path, LogFollower& follower) {
        return follower.take(
            readLogPiece(path, follower.generation(), follower.position(), milliseconds(0)));
    }
    static void take(const fs::path& path, LogFollower& follower, std::vector<std::string>& seen) {
        for (const RunEvent& event : next(path, follower).events) seen.push_back(toJsonLine(event));
    }
    static std::vector<std::string> linesOf(const fs::path& path) {
        std::vector<std::string> lines;
        for (const RunEvent& event : readRunEvents(path)) lines.push_back(toJsonLine(event));
        return lines;
    }
    fs::path file(const char* name) const { return dir_.filePath(name).toStdString(); }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::JobLogTest)
#include "job_log_test.moc"
