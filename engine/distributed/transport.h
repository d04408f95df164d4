// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace temper {

/// A message on its way.
class Transfer {
public:
    /// Gives up on the message if it has not arrived; then nothing uses its memory any more.
    virtual ~Transfer() = default;
    /// Never waits. Throws: Error(Io) if the message can't arrive any more.
    virtual bool isDone() = 0;
};

/// Carries messages between the ranks of a group. Messages between two ranks on the same channel
/// arrive in the order in which they were sent. Thread: all calls by the same one, that of the
/// Communicator.
class Transport {
public:
    /// No message is larger.
    static constexpr size_t kMaxBytes = size_t{1} << 28;

    virtual ~Transport() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// The memory has to stay until the transfer is done or gone; a receiver gives the exact size.
    /// Throws: Error(Io).
    virtual std::unique_ptr<Transfer> send(int to, int channel,
                                           std::span<const std::byte> data) = 0;
    virtual std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) = 0;

    /// All ranks leave in good order, after their last messages.
    virtual void close() = 0;
    /// The ranks can't leave in good order: ends them all as far as the transport can. May not
    /// return.
    virtual void abort() = 0;
};

}  // namespace temper
