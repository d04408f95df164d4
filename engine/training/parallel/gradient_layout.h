// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/distributed/host_numbers.h"
#include "engine/distributed/sum_tree.h"

namespace temper {

class TrainingSession;

/// Where the gradient of a parameter is.
struct LaidOutGradient {
    std::string parameter;
    PartRange numbers;  ///< in the memory of all gradients
};

/// Neighbouring gradients that are exchanged together.
struct GradientBucket {
    PartRange numbers;       ///< in the memory of all gradients
    int64_t parameters = 0;  ///< number of them
};

/// Where the gradients of a session are: in one piece of memory, one after the other, with gaps.
/// Thread: immutable.
class GradientLayout {
public:
    /// Buckets have at least `bucketNumbers` numbers, but for the first one.
    /// Throws: Error(Unsupported) naming a gradient that is not float32; Error(InvalidInput) if
    /// nothing trains.
    GradientLayout(TrainingSession& session, int64_t bucketNumbers);

    /// All of them, in the host's memory. Of a device these are copies, which those who exchange
    /// gradients fetch and store.
    const HostNumbers& numbers() const { return numbers_; }
    int64_t count() const { return count_; }
    /// In the order of memory.
    const std::vector<LaidOutGradient>& gradients() const { return gradients_; }
    /// In the order in which a backward pass computes them: the last parameters first.
    const std::vector<GradientBucket>& buckets() const { return buckets_; }
    /// Of the parameter whose gradient buffer is this input of the training model; -1 if it is
    /// another input.
    int64_t bucketOf(const std::string& input) const;

private:
    HostNumbers numbers_;
    int64_t count_ = 0;
    std::vector<LaidOutGradient> gradients_;
    std::vector<GradientBucket> buckets_;
    std::map<std::string, int64_t, std::less<>> bucketOf_;
};

}  // namespace temper
