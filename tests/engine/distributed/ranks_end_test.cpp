// SPDX-License-Identifier: Apache-2.0
// How ranks leave: in good order, or because one of them has failed or is lost.
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>

#include "engine/distributed/channels.h"
#include "engine/distributed/notice.h"
#include "tests/engine/distributed/local_ranks.h"
#include "tests/engine/distributed/wrapped_transport.h"

using namespace temper;
using namespace temper::test;
using namespace std::chrono_literals;

namespace {

/// No test waits for it.
constexpr auto kLong = 60s;

const Error kFullDisk(ErrorCode::Io, "The disk is full.");
const std::string kCutCable = "The cable is cut.";

/// Returns: whether it became true.
bool waitUntil(const std::function<bool()>& condition) {
    const auto last = std::chrono::steady_clock::now() + kLong / 2;
    while (!condition() && std::chrono::steady_clock::now() < last)
        std::this_thread::sleep_for(1ms);
    return condition();
}

/// How ranks have left.
class Ends {
public:
    void noteClose() { ++closes_; }
    void noteAbort(int rank) {
        const std::lock_guard lock(mutex_);
        aborted_.push_back(rank);
    }
    int closes() const { return closes_; }
    /// The ranks that ended all, in this order.
    std::vector<int> aborted() const {
        const std::lock_guard lock(mutex_);
        return aborted_;
    }

private:
    std::atomic<int> closes_{0};
    mutable std::mutex mutex_;
    std::vector<int> aborted_;
};

class NotedTransport final : public WrappedTransport {
public:
    NotedTransport(std::unique_ptr<Transport> inner, Ends& ends)
        : WrappedTransport(std::move(inner)), ends_(ends) {}
    void close() override { ends_.noteClose(); }
    void abort() override { ends_.noteAbort(rank()); }

private:
    Ends& ends_;
};

Transports notedTransports(int ranks, Ends& ends) {
    Transports transports = makeLocalTransports(ranks);
    for (auto& each : transports) each = std::make_unique<NotedTransport>(std::move(each), ends);
    return transports;
}

class BrokenTransfer final : public Transfer {
public:
    bool isDone() override { throw Error(ErrorCode::Io, kCutCable); }
};

/// Its second message of the control channel fails: as it is sent, received or tested.
class FailingTransport final : public WrappedTransport {
public:
    FailingTransport(std::unique_ptr<Transport> inner, const std::string& call)
        : WrappedTransport(std::move(inner)), call_(call) {}

    std::unique_ptr<Transfer> send(int to, int channel, std::span<const std::byte> data) override {
        const bool isBad = channel == kControlChannel && ++sent_ == 2;
        if (isBad && call_ == "send") throw Error(ErrorCode::Io, kCutCable);
        return WrappedTransport::send(to, channel, data);
    }
    std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) override {
        const bool isBad = channel == kControlChannel && ++received_ == 2;
        if (isBad && call_ == "receive") throw Error(ErrorCode::Io, kCutCable);
        if (isBad && call_ == "test") return std::make_unique<BrokenTransfer>();
        return WrappedTransport::receive(from, channel, data);
    }

private:
    std::string call_;
    int sent_ = 0;
    int received_ = 0;
};

/// What happens to a rank whose transport breaks.
struct Break {
    std::atomic<bool> isBroken{false};
    std::atomic<bool> hasReported{false};
    std::atomic<bool> wasEndedEarly{false};
};

/// Breaks when the test says so, for all messages.
class BreakingTransport final : public WrappedTransport {
public:
    BreakingTransport(std::unique_ptr<Transport> inner, Break& state)
        : WrappedTransport(std::move(inner)), state_(state) {}

    std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) override {
        return std::make_unique<Breaking>(WrappedTransport::receive(from, channel, data), state_);
    }
    void abort() override { state_.wasEndedEarly = !state_.hasReported; }

private:
    class Breaking final : public Transfer {
    public:
        Breaking(std::unique_ptr<Transfer> inner, const Break& state)
            : inner_(std::move(inner)), state_(state) {}
        bool isDone() override {
            if (state_.isBroken) throw Error(ErrorCode::Io, kCutCable);
            return inner_->isDone();
        }

    private:
        std::unique_ptr<Transfer> inner_;
        const Break& state_;
    };

    Break& state_;
};

/// A message that arrives when its exchange should be over.
struct LateMessage {
    std::shared_ptr<Exchange> exchange;  ///< set before the failure
    bool isReady = false;
    bool wasWrittenLate = false;
    bool wasDroppedLate = false;
};

class LateTransfer final : public Transfer {
public:
    explicit LateTransfer(LateMessage& message) : message_(message) {}
    ~LateTransfer() override { message_.wasDroppedLate |= message_.exchange->isDone(); }
    LateTransfer(const LateTransfer&) = delete;
    LateTransfer& operator=(const LateTransfer&) = delete;

    bool isDone() override {
        if (message_.isReady) message_.wasWrittenLate |= message_.exchange->isDone();
        return message_.isReady;
    }

private:
    LateMessage& message_;
};

/// What it receives in buckets arrives as soon as it tells of a failure.
class LateTransport final : public WrappedTransport {
public:
    LateTransport(std::unique_ptr<Transport> inner, LateMessage& message)
        : WrappedTransport(std::move(inner)), message_(message) {}

    std::unique_ptr<Transfer> send(int to, int channel, std::span<const std::byte> data) override {
        Notice notice;
        if (channel == kNoticeChannel) {
            std::memcpy(&notice, data.data(), sizeof(notice));
            message_.isReady |= notice.isFailure();
        }
        return WrappedTransport::send(to, channel, data);
    }
    std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) override {
        if (channel >= kFirstBucketChannel) return std::make_unique<LateTransfer>(message_);
        return WrappedTransport::receive(from, channel, data);
    }

private:
    LateMessage& message_;
};

}  // namespace

class RanksEndTest : public QObject {
    Q_OBJECT

private slots:
    /// Rank 1 has nothing to do any more long before rank 0.
    void nobodyIsEndedWhileAnotherWorks_data() {
        QTest::addColumn<bool>("fails");
        QTest::newRow("finished") << false;
        QTest::newRow("failed") << true;
    }
    void nobodyIsEndedWhileAnotherWorks() {
        QFETCH(bool, fails);
        const Patience patience{2s, kLong};
        Ends ends;
        const auto errors = runRanks(notedTransports(2, ends), patience, [&](Group& group) {
            group.barrier();
            if (!group.isLeader()) {
                if (fails) throw kFullDisk;
                return;
            }
            std::this_thread::sleep_for(5 * patience.timeout / 2);
            if (!ends.aborted().empty()) throw Error(ErrorCode::Internal, "ended");
            if (fails) group.barrier();
        });
        QCOMPARE(errors.front(), std::string(fails ? "rank 1: The disk is full." : ""));
        QVERIFY(ends.aborted().empty());
        QCOMPARE(ends.closes(), 2);
    }

    /// Rank 2 is in the middle of something, and hears of the failure through rank 1 only.
    void aRankThatFinishedPassesFailuresOn() {
        Ends ends;
        std::atomic<bool> hasFinished{false};
        const auto errors = runRanks(notedTransports(3, ends), {kLong, kLong}, [&](Group& group) {
            if (group.rank() == 1) {
                hasFinished = true;
                return;
            }
            if (group.isLeader()) {
                waitUntil([&] { return hasFinished.load(); });
                std::this_thread::sleep_for(100ms);  // it is about to leave
                throw kFullDisk;
            }
            std::byte byte{};
            group.beginReceive(0, 0, std::span(&byte, 1))->wait();
        });
        QCOMPARE(errors.front(), std::string("The disk is full."));
        QCOMPARE(errors[1], std::string());
        QCOMPARE(errors[2], std::string("rank 0: The disk is full."));
        QVERIFY(ends.aborted().empty());
        QCOMPARE(ends.closes(), 3);
    }

    void aRankThatDoesNotLeaveAfterAFailureIsEnded_data() {
        QTest::addColumn<int>("failing");
        QTest::newRow("rank 0 fails") << 0;
        QTest::newRow("rank 1 fails") << 1;
    }
    void aRankThatDoesNotLeaveAfterAFailureIsEnded() {
        QFETCH(int, failing);
        Ends ends;
        const auto errors = runRanks(notedTransports(2, ends), {kLong, 50ms}, [&](Group& group) {
            if (group.rank() == failing) throw kFullDisk;
            if (!waitUntil([&] { return !ends.aborted().empty(); }))
                throw Error(ErrorCode::Internal, "nobody ended it");
            group.barrier();
        });
        QVERIFY(!ends.aborted().empty());
        QCOMPARE(ends.aborted().front(), failing);
        QCOMPARE(errors[static_cast<size_t>(1 - failing)],
                 "rank " + std::to_string(failing) + ": The disk is full.");
    }

    /// The others give it the time to say which rank is lost.
    void theRankThatReportsALossEndsAll_data() {
        QTest::addColumn<int>("lost");
        QTest::addColumn<int>("reporter");
        QTest::newRow("rank 0 is lost") << 0 << 1;
        QTest::newRow("rank 1 is lost") << 1 << 0;
        QTest::newRow("rank 2 is lost") << 2 << 0;
    }
    void theRankThatReportsALossEndsAll() {
        QFETCH(int, lost);
        QFETCH(int, reporter);
        Ends ends;
        Transports transports = notedTransports(3, ends);
        transports[static_cast<size_t>(lost)].reset();
        const auto errors =
            runRanks(std::move(transports), {2s, 4s}, [](Group& group) { group.barrier(); });
        const std::string message = "Rank " + std::to_string(lost) +
                                    " has not answered for 2 s: it was ended, it hangs, "
                                    "or its machine can't be reached.";
        for (size_t rank = 0; rank < errors.size(); ++rank)
            QCOMPARE(errors[rank], static_cast<int>(rank) == lost ? "" : message);
        QCOMPARE(ends.closes(), 0);
        QCOMPARE(ends.aborted().size(), size_t{2});
        QCOMPARE(ends.aborted().front(), reporter);
    }

    void anExceptionThatNobodyCaughtEndsAll() {
        Ends ends;
        const auto errors = runRanks(notedTransports(3, ends), {kLong, kLong}, [](Group& group) {
            if (group.rank() == 1) throw std::bad_alloc();
            group.barrier();
        });
        for (const size_t rank : {0, 2})
            QCOMPARE(errors[rank], std::string("rank 1: It was ended by an exception."));
        QCOMPARE(ends.closes(), 3);
    }

    void anErrorOfTheTransportEndsAll_data() {
        QTest::addColumn<std::string>("call");
        for (const char* call : {"send", "receive", "test"})
            QTest::newRow(call) << std::string(call);
    }
    void anErrorOfTheTransportEndsAll() {
        QFETCH(std::string, call);
        Ends ends;
        Transports transports = notedTransports(3, ends);
        transports[1] = std::make_unique<FailingTransport>(std::move(transports[1]), call);
        const auto errors = runRanks(std::move(transports), {kLong, kLong}, [](Group& group) {
            group.barrier();  // some ranks may get through
            group.barrier();
        });
        QCOMPARE(errors, std::vector<std::string>(3, "rank 1: " + kCutCable));
        QVERIFY(ends.aborted().empty());
        QCOMPARE(ends.closes(), 3);
    }

    /// Nothing works any more while rank 0 is about to say why the run ends.
    void aRankWithABrokenTransportMayStillReport() {
        Break state;
        Transports transports = makeLocalTransports(2);
        transports[0] = std::make_unique<BreakingTransport>(std::move(transports[0]), state);
        const auto errors = runRanks(std::move(transports), {1s, 1s}, [&](Group& group) {
            if (!group.isLeader()) return group.barrier();
            group.fail(kFullDisk);
            waitUntil([&] { return group.failure().has_value(); });
            state.isBroken = true;
            std::this_thread::sleep_for(200ms);
            state.hasReported = true;
            group.barrier();
        });
        QCOMPARE(errors, std::vector<std::string>(2, "rank 0: The disk is full."));
        QVERIFY(!state.wasEndedEarly);
    }

    /// Whoever waits for an exchange frees its memory next.
    void nothingIsWrittenOnceAnExchangeIsDone() {
        LateMessage message;
        Transports transports = makeLocalTransports(2);
        transports[0] = std::make_unique<LateTransport>(std::move(transports[0]), message);
        const auto errors = runRanks(std::move(transports), {kLong, kLong}, [&](Group& group) {
            if (!group.isLeader()) return group.barrier();
            std::vector<std::byte> bytes(8);
            message.exchange = group.beginReceive(0, 1, bytes);
            group.fail(kFullDisk);
            message.exchange->wait();
        });
        QCOMPARE(errors, std::vector<std::string>(2, "rank 0: The disk is full."));
        QVERIFY(!message.wasWrittenLate);
        QVERIFY(!message.wasDroppedLate);
    }
};

QTEST_APPLESS_MAIN(RanksEndTest)
#include "ranks_end_test.moc"
