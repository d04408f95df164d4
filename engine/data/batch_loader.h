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

/// What a batch contains of one column: its values, if needed as another type or sample shape. With
/// `sample`, the column is not read.
struct BatchField {
    std::string column = {};
    DType dtype = DType::Undefined;   ///< Undefined: the column's
    std::optional<Shape> shape = {};  ///< of one sample, with as many elements; unset: the column's
    Tensor sample = {};               ///< if set, every sample is this instead of a column's values
};

/// The same sample `count` times. Shapes: [count, ...sample shape].
Tensor repeatSample(const Tensor& sample, int64_t count);

/// Samples that are processed together.
struct Batch {
    int64_t epoch = 0;  ///< from 0
    int64_t index = 0;  ///< within the epoch, from 0
    int64_t size = 0;
    bool endsEpoch = false;
    std::vector<Tensor> tensors;  ///< one per field. Shapes: [size, ...sample shape]
    int64_t firstRow = 0;         ///< of the tensors, if they have only some of the samples
};

/// Reads the fields of the given samples.
/// Throws: Error(InvalidInput) if a value does not fit the field's type, Error(NotFound) for an
/// unknown column.
std::vector<Tensor> readFields(const Dataset& data, const std::vector<BatchField>& fields,
                               std::span<const int64_t> samples);

/// The order of the samples in an epoch, determined by seed and epoch.
std::vector<int64_t> epochOrder(int64_t size, uint64_t seed, int64_t epoch);

struct LoaderOptions {
    int64_t batchSize = 32;
    bool shuffle = true;
    uint64_t seed = 0;
    int64_t epochs = 1;      ///< 0: endless
    int64_t firstBatch = 0;  ///< batches that an earlier run already used, over all epochs
    int64_t stride = 1;      ///< of the batches from firstBatch on, only every such one is read
    int64_t prefetch = 2;    ///< batches prepared ahead
    bool varies = true;      ///< each epoch sees the samples as Dataset::inEpoch() gives them
    bool dropLast = false;   ///< drop the last samples of an epoch if they do not fill a batch
    /// Of each batch, only the samples from size * firstSlice / slices to size * endSlice / slices
    /// are read.
    int64_t slices = 1;
    int64_t firstSlice = 0;
    int64_t endSlice = 1;
};

/// Throws: Error(InvalidInput) for data without samples, or too few for one batch with dropLast,
/// and for a batch size below 1.
int64_t batchesPerEpoch(int64_t size, const LoaderOptions& options);

/// Reads batches in its own thread, a few ahead of their use. The last batch of an epoch may be
/// smaller. Thread: one caller at a time.
class BatchLoader {
public:
    /// Throws: as batchesPerEpoch().
    BatchLoader(std::shared_ptr<const Dataset> data, std::vector<BatchField> fields,
                LoaderOptions options);
    /// Ends the thread; batches not taken are dropped.
    ~BatchLoader();
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;

    /// The next batch; nullopt after the last epoch. An exception of the reading thread is thrown
    /// here, at the batch that could not be read.
    std::optional<Batch> next();

    /// Seconds that the last next() waited for its batch.
    double waitSeconds() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace temper
