// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/data/dataset.h"

namespace temper {

/// What a batch gives of one column: its values under another type or sample shape where needed.
/// Or, with `sample`, of none.
struct BatchField {
    std::string column = {};
    DType dtype = DType::Undefined;   ///< Undefined: as the column's
    std::optional<Shape> shape = {};  ///< of one sample, with as many elements; unset: the column's
    Tensor sample = {};  ///< where it is set, what every sample is instead of a column's values
};

/// The same sample so many times. Shapes: [count, ...sample shape].
Tensor repeatSample(const Tensor& sample, int64_t count);

/// Samples that are processed together.
struct Batch {
    int64_t epoch = 0;  ///< from 0
    int64_t index = 0;  ///< within the epoch, from 0
    int64_t size = 0;
    bool endsEpoch = false;
    std::vector<Tensor> tensors;  ///< one per field. Shapes: [size, ...sample shape]
};

/// The fields of the given samples.
/// Throws: Error(InvalidInput) where a value does not fit the field's type, Error(NotFound) for an
/// unknown column.
std::vector<Tensor> readFields(const Dataset& data, const std::vector<BatchField>& fields,
                               std::span<const int64_t> samples);

/// The order of the samples in an epoch: the same seed and epoch, the same order.
std::vector<int64_t> epochOrder(int64_t size, uint64_t seed, int64_t epoch);

struct LoaderOptions {
    int64_t batchSize = 32;
    bool shuffle = true;
    uint64_t seed = 0;
    int64_t epochs = 1;      ///< 0: without end
    int64_t firstBatch = 0;  ///< batches that an earlier run has already used, over all epochs
    int64_t prefetch = 2;    ///< batches held ready
    bool varies = true;      ///< each epoch sees the samples as Dataset::inEpoch() gives them
    bool dropLast = false;   ///< leave out the samples of an epoch that do not fill a batch
};

/// Throws: Error(InvalidInput) for data without samples, or too few for one batch with dropLast,
/// and for a batch size below 1.
int64_t batchesPerEpoch(int64_t size, const LoaderOptions& options);

/// Reads batches in a thread of its own, a few ahead of their use. The last batch of an epoch may
/// be smaller. Thread: one caller at a time.
class BatchLoader {
public:
    /// Throws: as batchesPerEpoch().
    BatchLoader(std::shared_ptr<const Dataset> data, std::vector<BatchField> fields,
                LoaderOptions options);
    /// Ends the thread; batches not taken are dropped.
    ~BatchLoader();
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;

    /// The next batch; nullopt behind the last epoch. What the reading threw is thrown here, in the
    /// place of the batch that could not be read.
    std::optional<Batch> next();

    /// Seconds that the last next() waited.
    double waitSeconds() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace temper
