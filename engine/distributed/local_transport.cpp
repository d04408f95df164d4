// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/local_transport.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "engine/core/error.h"

namespace temper {
namespace {

/// Copies of messages that were sent and not yet received. The n-th receiver that waits for a
/// sender on a channel gets the n-th message.
class Mailboxes {
public:
    void put(int from, int to, int channel, std::span<const std::byte> data) {
        const std::lock_guard lock(mutex_);
        Box& box = boxes_[{from, to, channel}];
        box.messages[box.sent++] = {data.begin(), data.end()};
    }

    /// Returns: the number of the message that is waited for.
    int64_t expect(int from, int to, int channel) {
        const std::lock_guard lock(mutex_);
        return boxes_[{from, to, channel}].expected++;
    }

    bool take(int from, int to, int channel, int64_t number, std::span<std::byte> data) {
        const std::lock_guard lock(mutex_);
        Box& box = boxes_[{from, to, channel}];
        const auto found = box.messages.find(number);
        if (found == box.messages.end()) return false;
        TEMPER_ASSERT(found->second.size() == data.size(),
                      "the receiver knows the size of a message");
        std::ranges::copy(found->second, data.begin());
        box.messages.erase(found);
        return true;
    }

private:
    struct Box {
        std::map<int64_t, std::vector<std::byte>> messages;
        int64_t sent = 0;
        int64_t expected = 0;
    };

    std::mutex mutex_;
    std::map<std::tuple<int, int, int>, Box> boxes_;
};

class Sent final : public Transfer {
public:
    bool isDone() override { return true; }
};

class Awaited final : public Transfer {
public:
    Awaited(Mailboxes& mailboxes, int from, int to, int channel, std::span<std::byte> data)
        : mailboxes_(mailboxes),
          from_(from),
          to_(to),
          channel_(channel),
          number_(mailboxes.expect(from, to, channel)),
          data_(data) {}
    bool isDone() override { return mailboxes_.take(from_, to_, channel_, number_, data_); }

private:
    Mailboxes& mailboxes_;
    int from_;
    int to_;
    int channel_;
    int64_t number_;
    std::span<std::byte> data_;
};

class LocalTransport final : public Transport {
public:
    LocalTransport(std::shared_ptr<Mailboxes> mailboxes, int rank, int size)
        : mailboxes_(std::move(mailboxes)), rank_(rank), size_(size) {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    std::unique_ptr<Transfer> send(int to, int channel, std::span<const std::byte> data) override {
        mailboxes_->put(rank_, to, channel, data);
        return std::make_unique<Sent>();
    }

    std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) override {
        return std::make_unique<Awaited>(*mailboxes_, from, rank_, channel, data);
    }

    void close() override {}
    void abort() override {}

private:
    std::shared_ptr<Mailboxes> mailboxes_;
    int rank_;
    int size_;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> makeLocalTransports(int ranks) {
    const auto mailboxes = std::make_shared<Mailboxes>();
    std::vector<std::unique_ptr<Transport>> transports;
    for (int rank = 0; rank < ranks; ++rank)
        transports.push_back(std::make_unique<LocalTransport>(mailboxes, rank, ranks));
    return transports;
}

}  // namespace temper
