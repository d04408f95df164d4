// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/ring_watch.h"

#include <string>
#include <utility>

#include "engine/distributed/channels.h"

namespace temper {
namespace {

template <typename T>
std::span<std::byte> bytesOf(T& value) {
    return std::as_writable_bytes(std::span<T>(&value, 1));
}

Error lostError(int rank, RingWatch::Clock::duration timeout) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
    return {ErrorCode::Io,
            "Rank " + std::to_string(rank) + " has not answered for " + std::to_string(seconds) +
                " s: it was ended, it hangs, or its machine can't be reached.",
            "Continue from the last checkpoint; any number of ranks can."};
}

}  // namespace

RingWatch::RingWatch(Transport& transport, Clock::duration timeout)
    : transport_(transport),
      timeout_(timeout),
      heard_(Clock::now()),
      told_(heard_ - timeout),
      latest_(heard_),
      incoming_(std::make_unique<Notice>()) {
    listen();
}

void RingWatch::listen() {
    listening_ = transport_.receive(previous(), kNoticeChannel, bytesOf(*incoming_));
}

void RingWatch::tell(const Notice& notice) {
    auto copy = std::make_unique<Notice>(notice);
    auto transfer = transport_.send(next(), kNoticeChannel, bytesOf(*copy));
    sent_.emplace_back(std::move(copy), std::move(transfer));
}

void RingWatch::dropSent() {
    sent_.remove_if([](const auto& each) { return each.second->isDone(); });
}

std::optional<Notice> RingWatch::hear(Clock::time_point now) {
    std::optional<Notice> failure;
    while (!previousLeft_ && listening_->isDone()) {
        heard_ = now;
        if (incoming_->isFailure() && !failure) failure = *incoming_;
        previousLeft_ = incoming_->kind == Notice::Kind::Leaving;
        if (!previousLeft_) listen();
    }
    if (failure || previousLeft_ || lost_ || now - heard_ <= timeout_) return failure;
    return Notice::of(Notice::Kind::Lost, previous(), lostError(previous(), timeout_));
}

std::optional<Error> RingWatch::fail(const Notice& failure) {
    const bool isLoss = failure.kind == Notice::Kind::Lost;
    if (failed_ && !(isLoss && !lost_)) return std::nullopt;
    const bool isFirst = !std::exchange(failed_, true);
    if (isLoss) lost_ = failure.rank;
    // After this rank's goodbye, the next one does not listen any more.
    if (!leaving_ && (!isLoss || failure.rank != next())) tell(failure);
    return isFirst ? std::optional(failure.error()) : std::nullopt;
}

std::optional<Error> RingWatch::progress(Clock::time_point now) {
    dropSent();
    // A process that was suspended itself can't tell how long the others have been silent.
    if (now - latest_ > timeout_ / 2) heard_ = now;
    latest_ = now;
    if (!leaving_ && now - told_ > timeout_ / 8) {
        told_ = now;
        tell({});
    }
    const std::optional<Notice> failure = hear(now);
    return failure ? fail(*failure) : std::nullopt;
}

void RingWatch::fail(const Error& error) {
    if (!failed_ && !leaving_) fail(Notice::of(Notice::Kind::Failed, transport_.rank(), error));
}

void RingWatch::leave() {
    if (std::exchange(leaving_, true)) return;
    Notice notice;
    notice.kind = Notice::Kind::Leaving;
    tell(notice);
}

bool RingWatch::hasLeft() const { return leaving_ && previousLeft_ && sent_.empty(); }

}  // namespace temper
