// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/machine_peaks.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "engine/runtime/cpu/gemm.h"

namespace temper {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// For each of the two measurements. The first round, which only warms up, is extra.
constexpr Seconds kTime{0.12};
constexpr int64_t kMatrixSize = 512;
constexpr int64_t kArrays = 3;
constexpr int64_t kMegabyte = 1000 * 1000;
constexpr int64_t kMinBytes = 48 * kMegabyte, kMaxBytes = 192 * kMegabyte;
constexpr int64_t kMinBytesPerThread = 16 * kMegabyte;

/// Seconds of the fastest of many rounds, in each of which every thread runs `task(index)` once.
template <typename F>
double fastestRound(ThreadPool& pool, F&& task) {
    pool.forEach(pool.threads(), task);
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(kTime);
    double fastest = std::numeric_limits<double>::max();
    for (Clock::time_point begin = Clock::now(); begin < end;) {
        pool.forEach(pool.threads(), task);
        const Clock::time_point now = Clock::now();
        fastest = std::min(fastest, Seconds(now - begin).count());
        begin = now;
    }
    return fastest;
}

double measureFlops(ThreadPool& pool) {
    MatrixProduct product{.m = kMatrixSize, .n = kMatrixSize, .k = kMatrixSize};
    product.setDenseStrides();
    const std::vector<float> factor(kMatrixSize * kMatrixSize, 0.5F);
    std::vector<std::vector<float>> results(static_cast<size_t>(pool.threads()), factor);
    const double seconds = fastestRound(pool, [&](int64_t thread) {
        float* result = results[static_cast<size_t>(thread)].data();
        gemm(product, 1.0F, factor.data(), factor.data(), 0.0F, result);
    });
    return static_cast<double>(product.flops() * pool.threads()) / seconds;
}

/// a = b + s * c. Compilers vectorize blocks of a known length at any level.
void triad(float* __restrict a, const float* __restrict b, const float* __restrict c,
           int64_t count) {
    constexpr int64_t kBlock = 64;
    constexpr float kFactor = 3.0F;
    for (int64_t begin = 0; begin + kBlock <= count; begin += kBlock) {
        for (int64_t i = begin; i < begin + kBlock; ++i) a[i] = b[i] + kFactor * c[i];
    }
}

/// For all arrays together: more than the last-level cache holds, if possible.
int64_t streamBytes(int64_t threads) {
    const int64_t cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return std::max(std::clamp(4 * cache, kMinBytes, kMaxBytes), threads * kMinBytesPerThread);
}

double measureTraffic(ThreadPool& pool) {
    const int64_t threads = pool.threads();
    const int64_t count =
        streamBytes(threads) / (kArrays * threads * int64_t{sizeof(float)}) / 64 * 64;
    std::vector<std::unique_ptr<float[]>> memory;
    for (int64_t i = 0; i < threads; ++i) {
        // not written to here: pages belong to the thread that touches them first
        memory.push_back(
            std::make_unique_for_overwrite<float[]>(static_cast<size_t>(kArrays * count)));
    }
    const auto arrays = [&](int64_t thread) { return memory[static_cast<size_t>(thread)].get(); };
    pool.forEach(threads,
                 [&](int64_t thread) { std::fill_n(arrays(thread), kArrays * count, 1.0F); });
    const double seconds = fastestRound(pool, [&](int64_t thread) {
        float* first = arrays(thread);
        triad(first, first + count, first + 2 * count, count);
    });
    const int64_t bytes = kArrays * count * int64_t{sizeof(float)} * threads;
    return static_cast<double>(bytes) / seconds;
}

}  // namespace

double MachinePeaks::leastSeconds(int64_t flops, int64_t bytes) const {
    return std::max(static_cast<double>(flops) / flopsPerSecond,
                    static_cast<double>(bytes) / bytesPerSecond);
}

MachinePeaks measurePeaks(ThreadPool& pool) { return {measureFlops(pool), measureTraffic(pool)}; }

}  // namespace temper
