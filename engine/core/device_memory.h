// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace temper {

/// Memory of a device that the host can't read or write: Tensor moves data in and out of it.
/// Copies happen after all work submitted to the device before. Thread: one at a time.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;

    /// Zeros, aligned to 64 bytes; freed with the last owner, after the work submitted to the
    /// device by then. The owner keeps this object alive.
    /// Throws: Error(Io) naming the size if there is no room.
    virtual std::shared_ptr<std::byte> allocate(size_t bytes) = 0;
    /// The host's bytes may change once it has returned.
    virtual void copyFromHost(std::byte* to, const void* from, size_t bytes) = 0;
    /// Waits for the device. Throws: whatever work on the device has thrown since the last wait.
    virtual void copyToHost(void* to, const std::byte* from, size_t bytes) = 0;
    /// Within the device.
    virtual void copy(std::byte* to, const std::byte* from, size_t bytes) = 0;
};

/// A hint for what can't be stored or computed in such memory.
inline constexpr const char* kChooseHostMemory =
    "Choose a device that computes in the host's memory, such as cpu.";

}  // namespace temper
