// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "engine/runtime/kernel.h"

namespace temper {

/// Numbers that a batch normalization has from one slice of a batch.
struct SliceStatistics {
    double count = 0;  ///< elements of each channel in the slice
    std::span<const double> numbers;
};

/// Brings the slices of a batch together whose normalizations use the statistics of all of them.
class BatchStatistics {
public:
    virtual ~BatchStatistics() = default;

    /// Waits until each slice has called it for the same `node`. Returns: the statistics of all
    /// slices in order, valid until the next call. Throws: Error if another slice failed.
    virtual std::span<const SliceStatistics> gather(const std::string& node,
                                                    const SliceStatistics& own) = 0;
};

/// Whether a training model has batch normalizations, also in bodies of If, Loop and Scan, that use
/// the statistics of the batch.
bool usesBatchStatistics(const Graph& trainingModel);

/// From now on, kernels of training batch normalizations use the statistics of all slices.
/// `statistics` outlives the kernels.
void synchronizeBatchNorms(KernelRegistry& kernels, BatchStatistics& statistics);

}  // namespace temper
