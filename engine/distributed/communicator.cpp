// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/communicator.h"

#include <algorithm>
#include <future>
#include <utility>

#include "engine/distributed/channels.h"
#include "engine/distributed/ring_watch.h"

namespace temper {
namespace {

using namespace std::chrono_literals;

/// Between two looks at messages under way, and at signs of life.
constexpr auto kBusyWait = 50us;
constexpr auto kIdleWait = 2ms;

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
        exchange->finish(std::make_exception_ptr(*failure_));
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
    ownFailure_ = error;
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

/// Returns when this rank leaves or a rank has failed.
void Communicator::run(RingWatch* watch) {
    try {
        while (!failure() && takeNew(watch)) {
            const bool happened = progressAll();
            if (watch != nullptr) {
                if (const std::optional<Error> error = watch->progress(Clock::now()))
                    failAll(*error, watch->lostRank());
            }
            std::unique_lock lock(mutex_);
            if (happened || !begun_.empty() || ownFailure_ || isLeaving_) continue;
            changed_.wait_for(lock, running_.empty() ? Duration(kIdleWait) : Duration(kBusyWait));
        }
    } catch (const Error& error) {
        failAll(error);
    }
}

/// Returns: whether to go on.
bool Communicator::takeNew(RingWatch* watch) {
    std::deque<Running> begun;
    std::optional<Error> failed;
    {
        const std::lock_guard lock(mutex_);
        begun.swap(begun_);
        failed.swap(ownFailure_);
        if (isLeaving_ && !failed && begun.empty() && running_.empty()) return false;
    }
    for (Running& running : begun) running_.push_back(std::move(running));
    if (failed) {
        if (watch != nullptr) watch->fail(*failed);
        failAll(*failed);
    }
    return true;
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

void Communicator::failAll(const Error& error, std::optional<int> lostRank) {
    std::deque<Running> begun;
    {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = error;
        if (!lostRank_) lostRank_ = lostRank;
        begun.swap(begun_);
    }
    for (const Running& running : begun) running.exchange->finish(std::make_exception_ptr(error));
    for (const Running& running : running_)
        running.exchange->finish(std::make_exception_ptr(error));
}

/// Answers the others until this rank may end. If one is lost, the others can't leave in good
/// order.
void Communicator::end(RingWatch* watch) {
    running_.clear();  // messages that nobody needs any more
    try {
        waitToLeave(watch);
        if (watch == nullptr) return transport_->close();
        watch->leave();
        const Clock::time_point last = Clock::now() + patience_.timeout;
        while (!watch->hasLeft() && !watch->hasLost() && Clock::now() < last) {
            if (const std::optional<Error> error = watch->progress(Clock::now()))
                failAll(*error, watch->lostRank());
            std::this_thread::sleep_for(kIdleWait);
        }
        if (watch->hasLeft()) return transport_->close();
        const std::optional<Error> failed = failure();
        if (rank_ != 0 && failed) std::this_thread::sleep_for(patience_.grace);
    } catch (const Error&) {  // the transport is of no use any more
    }
    transport_->abort();
}

/// After a failure, until the owner of this object has seen it.
void Communicator::waitToLeave(RingWatch* watch) {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            if (isLeaving_) return;
            changed_.wait_for(lock, kIdleWait);
        }
        if (watch != nullptr) watch->progress(Clock::now());
    }
}

}  // namespace temper
