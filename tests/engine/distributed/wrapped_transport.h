// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "engine/distributed/transport.h"

namespace temper::test {

/// Passes everything on to another transport; tests override what they are about.
class WrappedTransport : public Transport {
public:
    explicit WrappedTransport(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }
    std::unique_ptr<Transfer> send(int to, int channel, std::span<const std::byte> data) override {
        return inner_->send(to, channel, data);
    }
    std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) override {
        return inner_->receive(from, channel, data);
    }
    void close() override { inner_->close(); }
    void abort() override { inner_->abort(); }

private:
    std::unique_ptr<Transport> inner_;
};

}  // namespace temper::test
