// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/core/error.h"
#include "engine/distributed/exchange.h"
#include "engine/distributed/transport.h"

namespace temper {

class RingWatch;

/// How long ranks wait for others.
struct Patience {
    /// A rank that is silent for longer is lost.
    std::chrono::steady_clock::duration timeout = std::chrono::seconds(10);
    /// After a failure, those that are about to leave wait this long for ranks in the middle of a
    /// step: rank 0 has to say why the run ended. Then they end all processes.
    std::chrono::steady_clock::duration grace = std::chrono::seconds(60);
};

/// What has crossed the network.
struct Traffic {
    int64_t bytesSent = 0;
    int64_t messagesSent = 0;
};

/// Moves messages between the ranks in a thread of its own, which alone uses the transport, and
/// watches the other ranks. Once any rank has failed, all exchanges of all ranks end with its
/// error. Thread: any.
class Communicator {
public:
    using Duration = std::chrono::steady_clock::duration;

    /// `open` is called in the new thread. Throws: what it throws.
    Communicator(const std::function<std::unique_ptr<Transport>()>& open, const Patience& patience);
    /// Leaves in good order, when all ranks are about to leave; as long as the others answer, they
    /// may take their time. After a failure, ends all ranks if they don't leave in time. An
    /// exception on its way through here is a failure.
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }

    /// Begins; the ranks begin the exchanges of a channel in the same order. The memory has to stay
    /// until it is done.
    std::shared_ptr<Exchange> begin(int channel, std::vector<Round> rounds);
    /// All ranks fail with this error, which happened here and gets the name of this rank, unless
    /// one has failed before.
    void fail(const Error& error);
    /// Why no exchange can be made any more.
    std::optional<Error> failure() const;
    /// The rank that does not answer any more.
    std::optional<int> lostRank() const;

    Traffic traffic() const;

private:
    using Clock = std::chrono::steady_clock;

    /// An exchange that is not done, and its messages under way.
    struct Running {
        std::shared_ptr<Exchange> exchange;
        int channel = 0;
        std::deque<Round> rounds;
        std::vector<std::unique_ptr<Transfer>> transfers;
        bool isStarted = false;  ///< the first of the rounds
    };

    void run(RingWatch* watch);
    bool takeNew(RingWatch* watch);
    void listen(RingWatch& watch);
    bool progressAll();
    /// Returns: whether something happened.
    bool progress(Running& running);
    void start(Running& running);
    void sendParts(Running& running, const Round::Outgoing& message);
    void receiveParts(Running& running, const Round::Incoming& message);
    void failHere(const Error& error, RingWatch* watch);
    void failAll(const Error& error);
    void waitForOwner(RingWatch* watch);
    bool leave(RingWatch& watch);
    void end(RingWatch* watch);
    /// Whether this rank says why the run ended.
    bool isReporter() const;

    std::unique_ptr<Transport> transport_;
    int rank_ = 0;
    int size_ = 1;
    Patience patience_;
    int exceptions_ = std::uncaught_exceptions();  ///< on their way when this object was made
    std::list<Running> running_;                   ///< the thread's own
    bool waitsForAll_ = false;                     ///< the thread's own: this rank needs nobody

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Running> begun_;
    std::optional<Error> ownFailure_;  ///< not yet told
    std::optional<Error> failure_;
    std::optional<int> lostRank_;
    bool isLeaving_ = false;
    Traffic traffic_;
    std::thread thread_;
};

}  // namespace temper
