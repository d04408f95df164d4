// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/device_memory.h"
#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// A device that computes: memory, kernels and an order of work. Plans, the training state, the
/// optimizer's step and operations on gradients go through it.
/// Thread: one at a time.
class Device {
public:
    virtual ~Device() = default;

    /// Null if it computes in the host's memory.
    virtual const std::shared_ptr<DeviceMemory>& memory() const = 0;
    bool usesHostMemory() const { return memory() == nullptr; }
    virtual const KernelRegistry& kernels() const = 0;
    /// Names of passes (planPasses()) whose kernels it lacks.
    virtual std::vector<std::string> missingPasses() const { return {}; }
    /// The host's, for kernels that compute there.
    virtual ThreadPool& pool() const = 0;

    /// Runs `work` after all work submitted before; may return earlier.
    virtual void submit(std::function<void()> work) = 0;
    /// Waits until all work is done. Throws: the first exception of work since the last wait; work
    /// submitted after that was not run.
    virtual void synchronize() = 0;
    /// The form of an address in the device's memory that kernels take.
    virtual void* kernelAddress(std::byte* address) const = 0;

    /// Sums of squares are added up in runs of so many numbers, and the sums of the runs in order.
    static constexpr int64_t kNumbersPerSum = 16384;

    /// These take float32 tensors in the device's memory, in the order of submit(); the bits of a
    /// device do not depend on its number of threads.
    /// Sum of squares, in double; waits for it.
    virtual double sumOfSquares(const Tensor& tensor) = 0;
    virtual void scale(Tensor& tensor, float factor) = 0;
    /// Clamps each number to [-limit, limit].
    virtual void clamp(Tensor& tensor, float limit) = 0;
    /// mean = decay * mean + (1 - decay) * values
    virtual void average(Tensor& mean, const Tensor& values, float decay) = 0;
};

/// A device that a session can use.
struct DeviceEntry {
    std::string name;  ///< as SessionOptions::device names it: "cpu"
    /// `cpuKernels` outlive the device; `threads` of the host as in ThreadPool: 0 is one per core.
    /// Throws: Error(Unsupported) if the machine has no such device.
    std::function<std::shared_ptr<Device>(const KernelRegistry& cpuKernels, int threads)> make;
    /// The hardware's name, or empty if it has none: the processor's.
    std::function<std::string()> hardware = {};
    /// Why it does not multiply in bfloat16, as the end of a sentence; empty if it does.
    std::function<std::string()> whyNoBFloat16 = {};
};

/// All of them; the first one is "cpu".
const std::vector<DeviceEntry>& devices();
/// Adds a device, e.g. a plugin's. Call it before devices are used.
/// Throws: Error(InvalidInput) if there is one of that name.
void addDevice(DeviceEntry entry);
/// The names of all devices.
std::vector<std::string> deviceNames();
/// "cpu: AMD EPYC 9V74": the name, and that of the hardware if it is known.
std::string describeDevice(const std::string& name);

/// Throws: Error(Unsupported) saying why if the device does not multiply in bfloat16.
void requireBFloat16(const std::string& name);

/// `name` may end with ":0". Throws: Error(Unsupported) listing the devices if there is none of
/// that name.
std::shared_ptr<Device> makeDevice(const std::string& name, const KernelRegistry& cpuKernels,
                                   int threads = 0);

}  // namespace temper
