// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/core/tensor.h"

namespace temper {

/// Statistics of a tensor's values. NaN and infinities are counted as such and excluded from the
/// rest.
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
    std::vector<int64_t> histogram;  ///< equal bins from minimum to maximum; empty if they agree

    int64_t notFinite() const { return nans + infinities; }
};

inline constexpr size_t kStatisticsBins = 64;

/// Progress of a job on a tensor, from 0 to 1; written by the job, read by its observers.
using Progress = std::atomic<float>;

/// Reads the values twice, block by block: memory-mapped tensors stay mapped. Types without numbers
/// have only a count. Returns what is known so far when `stop` is requested. Thread: any.
TensorStatistics measureTensor(const Tensor& tensor, const std::stop_token& stop = {},
                               Progress* progress = nullptr, size_t bins = kStatisticsBins);

}  // namespace temper
