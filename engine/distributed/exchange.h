// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/error.h"

namespace temper {

/// Messages that may be under way at the same time, and the work after all of them.
struct Round {
    struct Outgoing {
        int to = 0;
        std::span<const std::byte> data;
    };
    struct Incoming {
        int from = 0;
        std::span<std::byte> data;
    };
    std::vector<Outgoing> outgoing = {};
    std::vector<Incoming> incoming = {};
    /// On the communicator's thread; may be empty.
    std::function<void()> then = {};
};

/// Rounds of messages that a Communicator works through. Thread: any.
class Exchange {
public:
    /// One that has nothing to wait for.
    static std::shared_ptr<Exchange> done();

    /// Throws: the error that ended it.
    void wait();
    bool isDone() const;

private:
    friend class Communicator;
    /// Once; what comes later changes nothing.
    void finish(std::optional<Error> error = std::nullopt);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool isDone_ = false;
    std::optional<Error> error_;  // thrown as a copy: what waits shares no exception
};

}  // namespace temper
