// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/core/tensor.h"

namespace temper {

/// What is worth knowing of a tensor's values. NaN and infinities count as such and nowhere else.
struct TensorStatistics {
    int64_t count = 0;
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double deviation = 0;  ///< of all values, not of a sample
    double norm = 0;       ///< L2
    int64_t zeros = 0;
    int64_t nans = 0;
    int64_t infinities = 0;
    std::vector<int64_t> histogram;  ///< equal bins from minimum to maximum; empty where they agree

    int64_t notFinite() const { return nans + infinities; }
};

inline constexpr size_t kStatisticsBins = 64;

/// How far a job on a tensor is, from 0 to 1; written by the job, read by whoever shows it.
using Progress = std::atomic<float>;

/// Goes twice through the values, block by block: memory-mapped tensors stay mapped. Types without
/// numbers have a count only. Returns what there is when `stop` is requested. Thread: any.
TensorStatistics measureTensor(const Tensor& tensor, const std::stop_token& stop = {},
                               Progress* progress = nullptr, size_t bins = kStatisticsBins);

}  // namespace temper
