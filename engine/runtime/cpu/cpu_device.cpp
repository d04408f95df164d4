// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/cpu_device.h"

#include <algorithm>

#include "engine/runtime/cpu/compute_pool.h"

namespace temper {
namespace {

/// Numbers are processed in blocks of this many, whatever the number of threads.
constexpr int64_t kBlock = Device::kNumbersPerSum;

}  // namespace

CpuDevice::CpuDevice(const KernelRegistry& kernels, int threads)
    : CpuDevice(kernels, makeComputePool(threads)) {}

CpuDevice::CpuDevice(const KernelRegistry& kernels, std::shared_ptr<ThreadPool> pool)
    : kernels_(kernels), pool_(std::move(pool)) {}

double CpuDevice::sumOfSquares(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    const float* begin = values.data();
    const auto count = static_cast<int64_t>(values.size());
    double sum = 0;
    for (int64_t block = 0; block < count; block += kBlock) {
        double part = 0;
        for (int64_t i = block; i < std::min(count, block + kBlock); ++i)
            part += static_cast<double>(begin[i]) * begin[i];
        sum += part;
    }
    return sum;
}

void CpuDevice::scale(Tensor& tensor, float factor) {
    float* values = tensor.mutableValues<float>().data();
    pool_->forRanges(tensor.numElements(), kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) values[i] *= factor;
    });
}

void CpuDevice::clamp(Tensor& tensor, float limit) {
    float* values = tensor.mutableValues<float>().data();
    pool_->forRanges(tensor.numElements(), kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) values[i] = std::clamp(values[i], -limit, limit);
    });
}

void CpuDevice::average(Tensor& mean, const Tensor& values, float decay) {
    float* to = mean.mutableValues<float>().data();
    const float* from = values.values<float>().data();
    const float rest = 1 - decay;
    pool_->forRanges(mean.numElements(), kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = decay * to[i] + rest * from[i];
    });
}

}  // namespace temper
