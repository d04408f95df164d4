// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/device.h"

namespace temper {

/// The processor: uses the host's memory and performs work when it is submitted.
class CpuDevice : public Device {
public:
    /// `kernels` outlive it; `threads` as in ThreadPool.
    explicit CpuDevice(const KernelRegistry& kernels, int threads = 0);
    /// With threads that others use, too.
    CpuDevice(const KernelRegistry& kernels, std::shared_ptr<ThreadPool> pool);

    const std::shared_ptr<DeviceMemory>& memory() const override { return memory_; }
    const KernelRegistry& kernels() const override { return kernels_; }
    ThreadPool& pool() const override { return *pool_; }

    void submit(std::function<void()> work) override { work(); }
    void synchronize() override {}
    void* kernelAddress(std::byte* address) const override { return address; }

    double sumOfSquares(const Tensor& tensor) override;
    void scale(Tensor& tensor, float factor) override;
    void clamp(Tensor& tensor, float limit) override;
    void average(Tensor& mean, const Tensor& values, float decay) override;

private:
    const KernelRegistry& kernels_;
    std::shared_ptr<ThreadPool> pool_;
    std::shared_ptr<DeviceMemory> memory_;  ///< always null
};

}  // namespace temper
