// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/data/dataset.h"

namespace temper {

/// Samples that come batch by batch, in the order of their source; a pass over them is an epoch.
/// Thread: one at a time, but not always the same; awaited() any.
class BatchStream {
public:
    virtual ~BatchStream() = default;

    /// The batches of a pass, if they are known beforehand. A pass may have more or fewer.
    virtual std::optional<int64_t> batchesPerEpoch() const = 0;
    /// The samples of a pass; 0 if unknown.
    virtual int64_t samplesPerEpoch() const = 0;

    /// Starts pass number `epoch`, from 0. Throws: Error(InvalidInput) if there is no other pass.
    virtual void begin(int64_t epoch) = 0;
    /// The next batch of the pass, all samples of a data set of its own; null after the last one.
    virtual std::shared_ptr<const Dataset> next() = 0;

    /// Called by the run several times a second while it can't continue without the batch that is
    /// being read.
    virtual void awaited() {}
};

}  // namespace temper
