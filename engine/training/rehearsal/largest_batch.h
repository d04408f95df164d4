// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/training/trainer/trainer.h"

namespace temper {

/// Memory of a run by the size of its batches. Makes plans, takes no step.
class BatchMemory {
public:
    /// Throws: as TrainingSession; Error(Unsupported) if the model prescribes the batch size.
    BatchMemory(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                const TrainerData& data, const RunSpec& run);
    ~BatchMemory();

    /// What the session of a run with such batches uses; see TrainingSession::memoryUse().
    /// Throws: Error(Unsupported) if the model's shapes depend on the data itself.
    MemoryUse of(int64_t batchSize) const;
    /// Of the current batch and those that are read ahead of it.
    size_t batchBytes(int64_t batchSize) const;
    size_t totalOf(int64_t batchSize) const;

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

struct LargestBatch {
    int64_t batchSize = 0;  ///< 0: not even one sample fits
    size_t bytes = 0;       ///< with batches of this size, or of one sample if none fits
    bool isAllSamples = false;
    bool isCancelled = false;  ///< then the batch size is the largest one known to fit
};

/// A batch size, up to all training samples, whose run takes at most `limit` bytes while that of
/// the next larger one takes more: found by doubling, then by bisection. Kernels choose their
/// scratch by size, so a batch a few percent larger may fit again. `shouldContinue` receives each
/// size that is tried and ends the search by returning false. Throws: as BatchMemory.
LargestBatch findLargestBatch(const BatchMemory& memory, int64_t samples, size_t limit,
                              const std::function<bool(int64_t)>& shouldContinue = {});

/// Bytes of memory that programs can take now without swapping out others.
/// Throws: Error(Io) if the system does not report it.
size_t availableMemory();

}  // namespace temper
