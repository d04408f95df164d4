// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/training/trainer/batch_stream.h"

namespace temper {

struct StreamOptions {
    int64_t epochs = 0;          ///< the first pass that is not made; 0: endless
    int64_t firstEpoch = 0;      ///< the pass to begin with
    int64_t skippedBatches = 0;  ///< batches of that pass that an earlier run already used
    int64_t prefetch = 2;        ///< batches prepared ahead
};

/// What a model takes of a batch.
using BatchFieldsOf = std::function<std::vector<BatchField>(const Dataset& batch)>;

/// Reads the batches of a stream in its own thread, a few ahead of their use. Thread: one caller at
/// a time.
class StreamLoader {
public:
    StreamLoader(std::shared_ptr<BatchStream> stream, BatchFieldsOf fields, StreamOptions options);
    /// Ends the thread, after the batch that it is waiting for; batches not taken are dropped.
    ~StreamLoader();
    StreamLoader(const StreamLoader&) = delete;
    StreamLoader& operator=(const StreamLoader&) = delete;

    /// The next batch; nothing after the last pass. An exception of the reading thread is thrown
    /// here, at the batch that could not be read; an Error that its values cause names the batch.
    /// Throws: Error(InvalidInput) for a pass without batches; Interrupted while it waits.
    std::optional<Batch> next();

    /// Seconds that the last next() waited for its batch.
    double waitSeconds() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace temper
