// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/loaded_transport.h"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "engine/core/error.h"
#include "engine/distributed/transport_api.h"

namespace temper {
namespace {

static_assert(Transport::kMaxBytes == TEMPER_TRANSPORT_MAX_BYTES);

/// Throws: Error(Io) with the transport's own words if `status` is not 0.
void require(int status, const TemperTransportApi& api, const TemperTransportError& error) {
    if (status == 0) return;
    throw Error(ErrorCode::Io, "The transport '" + std::string(api.name) + "': " + error.text,
                "Check the network between the machines, and that all ranks still run.");
}

class LoadedTransfer final : public Transfer {
public:
    LoadedTransfer(const TemperTransportApi& api, TemperTransport* transport,
                   TemperTransfer* transfer)
        : api_(api), transport_(transport), transfer_(transfer) {}
    ~LoadedTransfer() override {
        if (transfer_ != nullptr) api_.drop(transport_, transfer_);
    }

    bool isDone() override {
        if (transfer_ == nullptr) return true;
        int32_t done = 0;
        TemperTransportError error{};
        require(api_.test(transport_, transfer_, &done, &error), api_, error);
        if (done != 0) transfer_ = nullptr;
        return done != 0;
    }

private:
    const TemperTransportApi& api_;
    TemperTransport* transport_;
    TemperTransfer* transfer_;
};

class LoadedTransport final : public Transport {
public:
    explicit LoadedTransport(const TemperTransportApi& api) : api_(api) {
        TemperTransportError error{};
        require(api_.open(&transport_, &rank_, &size_, &error), api_, error);
    }
    ~LoadedTransport() override { close(); }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    std::unique_ptr<Transfer> send(int to, int channel, std::span<const std::byte> data) override {
        TemperTransfer* transfer = nullptr;
        TemperTransportError error{};
        require(api_.send(transport_, to, channel, data.data(), data.size(), &transfer, &error),
                api_, error);
        return std::make_unique<LoadedTransfer>(api_, transport_, transfer);
    }

    std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) override {
        TemperTransfer* transfer = nullptr;
        TemperTransportError error{};
        require(
            api_.receive(transport_, from, channel, data.data(), data.size(), &transfer, &error),
            api_, error);
        return std::make_unique<LoadedTransfer>(api_, transport_, transfer);
    }

    void close() override {
        if (transport_ != nullptr) api_.close(std::exchange(transport_, nullptr));
    }
    void abort() override {
        if (transport_ != nullptr) api_.abort(std::exchange(transport_, nullptr));
    }

private:
    const TemperTransportApi& api_;
    TemperTransport* transport_ = nullptr;
    int32_t rank_ = 0;
    int32_t size_ = 1;
};

}  // namespace

void requireTransport(const std::filesystem::path& library) {
    std::error_code failure;
    if (std::filesystem::is_regular_file(library, failure)) return;
    throw Error(ErrorCode::NotFound, "The transport '" + library.string() + "' does not exist.",
                "Install the package temper-mpi, or build with libopenmpi-dev.");
}

std::unique_ptr<Transport> openTransport(const std::filesystem::path& library) {
    requireTransport(library);
    // global: MPI loads modules of its own that look for its symbols
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
        throw Error(ErrorCode::InvalidInput,
                    "The transport '" + library.string() + "' can't be loaded: " + dlerror() + ".",
                    "Install the libraries that it needs.");
    }
    const auto* api = static_cast<const TemperTransportApi*>(dlsym(handle, "temper_transport"));
    if (api == nullptr || api->abi != TEMPER_TRANSPORT_ABI) {
        throw Error(ErrorCode::InvalidInput,
                    "'" + library.string() + "' is not a transport for this version of Temper.",
                    "Install the one that came with it.");
    }
    return std::make_unique<LoadedTransport>(*api);
}

}  // namespace temper
