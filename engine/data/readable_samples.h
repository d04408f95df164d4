// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/dataset.h"

namespace temper {

/// Told now and then how many samples have been looked at, of how many; false ends the look early.
using LookProgress = std::function<bool(int64_t done, int64_t total)>;

/// A sample that can't be read, and why.
struct UnreadableSample {
    int64_t sample = 0;
    std::string why;
};

/// Looks at all samples, on several threads, in the order of the samples. `isWhole`: each is read
/// to its end.
std::vector<UnreadableSample> unreadableSamples(const Dataset& data, bool isWhole,
                                                const LookProgress& progress = {});

/// D114: samples that can't be read (error), such as damaged pictures. Of a few thousand samples
/// each is read whole; of more, what tells most damages at little cost.
std::vector<Finding> checkReadable(const Dataset& data, const LookProgress& progress = {});

}  // namespace temper
