// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/communicator.h"

#include <algorithm>
#include <future>
#include <string>
#include <utility>

#include "engine/core/caught_error.h"
#include "engine/distributed/barrier.h"
#include "engine/distributed/channels.h"
#include "engine/distributed/ring_watch.h"

namespace temper {
namespace {

using namespace std::chrono_literals;

/// Between two looks at messages under way, and at signs of life.
constexpr auto kBusyWait = 50us;
constexpr auto kIdleWait = 2ms;

Error namedBy(int rank, const Error& error) {
    Error named(error.code(), error.what(), error.hint());
    named.addContext("rank " + std::to_string(rank));
    return named;
}

}  // namespace

Communicator::Communicator(const std::function<std::unique_ptr<Transport>()>& open,
                           const Patience& patience)
    : patience_(patience) {
    std::promise<void> opened;
    std::future<void> isOpened = opened.get_future();
    thread_ = std::thread([this, &open, &opened] {
        std::unique_ptr<RingWatch> watch;
        try {
            transport_ = open();
            rank_ = transport_->rank();
            size_ = transport_->size();
            if (size_ > 1) watch = std::make_unique<RingWatch>(*transport_, patience_.timeout);
            opened.set_value();
        } catch (...) {
            transport_.reset();
            opened.set_exception(std::current_exception());
            return;
        }
        run(watch.get());
        end(watch.get());
    });
    try {
        isOpened.get();
    } catch (...) {
        thread_.join();
        throw;
    }
}

Communicator::~Communicator() {
    if (std::uncaught_exceptions() > exceptions_)
        fail({ErrorCode::Internal, "It was ended by an exception."});
    {
        const std::lock_guard lock(mutex_);
        isLeaving_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

std::shared_ptr<Exchange> Communicator::begin(int channel, std::vector<Round> rounds) {
    auto exchange = std::make_shared<Exchange>();
    const std::lock_guard lock(mutex_);
    if (failure_) {
        exchange->finish(failure_);
        return exchange;
    }
    Running& running = begun_.emplace_back();
    running.exchange = exchange;
    running.channel = channel;
    std::ranges::move(rounds, std::back_inserter(running.rounds));
    changed_.notify_all();
    return exchange;
}

void Communicator::fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (failure_ || ownFailure_) return;
    ownFailure_ = namedBy(rank_, error);
    changed_.notify_all();
}

std::optional<Error> Communicator::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

std::optional<int> Communicator::lostRank() const {
    const std::lock_guard lock(mutex_);
    return lostRank_;
}

Traffic Communicator::traffic() const {
    const std::lock_guard lock(mutex_);
    return traffic_;
}

/// Returns when all ranks are about to leave, or one has failed.
void Communicator::run(RingWatch* watch) {
    try {
        while (!failure() && takeNew(watch)) {
            const bool happened = progressAll();
            if (watch != nullptr) listen(*watch);
            std::unique_lock lock(mutex_);
            const bool isIdle = !happened && begun_.empty() && !ownFailure_;
            if (!isIdle || (isLeaving_ && running_.empty())) continue;
            changed_.wait_for(lock, running_.empty() ? Duration(kIdleWait) : Duration(kBusyWait));
        }
    } catch (const std::exception&) {  // of the transport
        failHere(namedBy(rank_, caughtError()), watch);
    }
}

/// Returns: whether to go on.
bool Communicator::takeNew(RingWatch* watch) {
    std::deque<Running> begun;
    std::optional<Error> failed;
    bool isLeaving = false;
    {
        const std::lock_guard lock(mutex_);
        begun.swap(begun_);
        failed.swap(ownFailure_);
        isLeaving = isLeaving_;
    }
    for (Running& running : begun) running_.push_back(std::move(running));
    if (failed) failHere(*failed, watch);
    if (failed || !isLeaving || !running_.empty()) return true;
    if (std::exchange(waitsForAll_, true)) return false;
    begin(kControlChannel, barrierRounds(rank_, size_));
    return true;
}

/// Hears what the other ranks have to say.
void Communicator::listen(RingWatch& watch) {
    const std::optional<Error> error = watch.progress(Clock::now());
    if (watch.hasLost()) {
        const std::lock_guard lock(mutex_);
        lostRank_ = watch.lostRank();
    }
    if (error) failAll(*error);
}

bool Communicator::progressAll() {
    bool happened = false;
    for (auto each = running_.begin(); each != running_.end();) {
        while (progress(*each)) {
            happened = true;
            if (each->rounds.empty()) break;
        }
        each = each->rounds.empty() ? running_.erase(each) : std::next(each);
    }
    return happened;
}

bool Communicator::progress(Running& running) {
    if (running.rounds.empty()) {
        running.exchange->finish();
        return true;
    }
    if (!std::exchange(running.isStarted, true)) start(running);
    std::erase_if(running.transfers, [](const auto& transfer) { return transfer->isDone(); });
    if (!running.transfers.empty()) return false;
    if (running.rounds.front().then) running.rounds.front().then();
    running.rounds.pop_front();
    running.isStarted = false;
    if (running.rounds.empty()) running.exchange->finish();
    return true;
}

void Communicator::start(Running& running) {
    const Round& round = running.rounds.front();
    for (const Round::Incoming& message : round.incoming) receiveParts(running, message);
    for (const Round::Outgoing& message : round.outgoing) sendParts(running, message);
}

void Communicator::sendParts(Running& running, const Round::Outgoing& message) {
    std::span<const std::byte> rest = message.data;
    int64_t messages = 0;
    for (; !rest.empty(); ++messages) {
        const auto part = rest.first(std::min(rest.size(), Transport::kMaxBytes));
        running.transfers.push_back(transport_->send(message.to, running.channel, part));
        rest = rest.subspan(part.size());
    }
    const std::lock_guard lock(mutex_);
    traffic_.bytesSent += static_cast<int64_t>(message.data.size());
    traffic_.messagesSent += messages;
}

void Communicator::receiveParts(Running& running, const Round::Incoming& message) {
    std::span<std::byte> rest = message.data;
    while (!rest.empty()) {
        const auto part = rest.first(std::min(rest.size(), Transport::kMaxBytes));
        running.transfers.push_back(transport_->receive(message.from, running.channel, part));
        rest = rest.subspan(part.size());
    }
}

/// The error happened here, and the others don't know it yet.
void Communicator::failHere(const Error& error, RingWatch* watch) {
    try {
        if (watch != nullptr) watch->fail(error);
    } catch (const std::exception&) {  // the others will notice that this rank is silent
    }
    failAll(error);
}

/// First, nothing may use the memory of messages any more: those that wait for an exchange, or try
/// to begin one, free it as soon as they know of the failure.
void Communicator::failAll(const Error& error) {
    for (Running& running : running_) running.transfers.clear();
    std::deque<Running> begun;
    {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = error;
        begun.swap(begun_);
    }
    for (const Running& running : running_) running.exchange->finish(error);
    for (const Running& running : begun) running.exchange->finish(error);
    running_.clear();
}

/// Rank 0, or the next one if it is lost.
bool Communicator::isReporter() const { return rank_ == (lostRank() == 0 ? 1 : 0); }

/// Answers the others until this rank may end, and ends them if they can't leave in good order.
void Communicator::end(RingWatch* watch) {
    try {
        waitForOwner(watch);
        if (watch == nullptr || leave(*watch)) return transport_->close();
    } catch (const std::exception&) {  // the transport is of no use any more
        waitForOwner(nullptr);
        if (failure() && !isReporter()) std::this_thread::sleep_for(patience_.grace);
    }
    transport_->abort();
}

/// After a failure, until the owner of this object has seen it.
void Communicator::waitForOwner(RingWatch* watch) {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            if (isLeaving_) return;
            changed_.wait_for(lock, kIdleWait);
        }
        if (watch != nullptr) listen(*watch);
    }
}

/// Returns: whether the ranks around this one have left, too. Nobody leaves in good order once a
/// rank is lost.
bool Communicator::leave(RingWatch& watch) {
    // Without a failure, all owners are gone; with one, others may be in the middle of a step.
    const bool hasFailed = failure().has_value();
    const Clock::time_point last = Clock::now() + (hasFailed ? patience_.grace : patience_.timeout);
    watch.leave();
    while (watch.hasLost() || !watch.hasLeft()) {
        const bool isInVain = watch.hasLost() && (!hasFailed || isReporter());
        if (isInVain || Clock::now() > last) return false;
        listen(watch);
        std::this_thread::sleep_for(kIdleWait);
    }
    return true;
}

}  // namespace temper
