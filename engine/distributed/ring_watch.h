// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "engine/distributed/notice.h"
#include "engine/distributed/transport.h"

namespace temper {

/// Notices ranks that were killed or hang, and passes failures on: each rank tells the next one
/// that it is alive, and expects the same of the one before it. Thread: the transport's.
class RingWatch {
public:
    using Clock = std::chrono::steady_clock;

    /// `timeout`: a rank that is silent for longer is lost.
    RingWatch(Transport& transport, Clock::duration timeout);

    /// Sends and receives what is due. Returns: the first failure of any rank, once.
    std::optional<Error> progress(Clock::time_point now);
    /// Tells the others of this rank's own failure.
    void fail(const Error& error);
    /// This rank no longer needs the others; it keeps calling progress() until hasLeft().
    void leave();
    /// Whether the neighbours have been told and need nothing any more.
    bool hasLeft() const;
    /// Whether a rank does not answer: the others can't leave in good order.
    bool hasLost() const { return lost_.has_value(); }
    std::optional<int> lostRank() const { return lost_; }

private:
    int next() const { return (transport_.rank() + 1) % transport_.size(); }
    int previous() const { return (transport_.rank() + transport_.size() - 1) % transport_.size(); }
    void tell(const Notice& notice);
    void listen();
    void dropSent();
    /// What the rank before this one says. Returns: a failure that is news.
    std::optional<Notice> hear(Clock::time_point now);
    std::optional<Error> fail(const Notice& failure);

    Transport& transport_;
    Clock::duration timeout_;
    Clock::time_point heard_;
    Clock::time_point told_;
    Clock::time_point latest_;  ///< call of progress()
    bool failed_ = false;
    std::optional<int> lost_;
    bool leaving_ = false;
    bool previousLeft_ = false;
    std::unique_ptr<Notice> incoming_;
    std::unique_ptr<Transfer> listening_;
    std::list<std::pair<std::unique_ptr<Notice>, std::unique_ptr<Transfer>>> sent_;
};

}  // namespace temper
