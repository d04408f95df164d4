// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/runtime/cpu/cpu_device.h"

namespace temper::test {

class WorkQueue;

/// A device to test others by: its memory is separate, so that host code that touches it faults,
/// and its work runs in order on its own thread, some time after submission. Its kernels are the
/// processor's: it computes the same bits.
class ReferenceDevice : public Device {
public:
    /// `kernels` outlive it; `threads` as in ThreadPool.
    explicit ReferenceDevice(const KernelRegistry& kernels, int threads = 0);
    ~ReferenceDevice() override;

    const std::shared_ptr<DeviceMemory>& memory() const override { return memory_; }
    const KernelRegistry& kernels() const override { return cpu_.kernels(); }
    ThreadPool& pool() const override { return cpu_.pool(); }

    void submit(std::function<void()> work) override;
    void synchronize() override;
    void* kernelAddress(std::byte* address) const override;

    double sumOfSquares(const Tensor& tensor) override;
    void scale(Tensor& tensor, float factor) override;
    void clamp(Tensor& tensor, float limit) override;
    void average(Tensor& mean, const Tensor& values, float decay) override;

private:
    Tensor forKernels(const Tensor& tensor) const;

    CpuDevice cpu_;
    std::shared_ptr<WorkQueue> queue_;
    std::shared_ptr<DeviceMemory> memory_;
};

/// From now on sessions can request the device "reference"; further calls do nothing.
void addReferenceDevice();

}  // namespace temper::test
