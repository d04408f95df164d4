// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/dataset.h"

namespace temper {

/// Called now and then with the number of samples checked so far and the total; false ends the
/// check early.
using LookProgress = std::function<bool(int64_t done, int64_t total)>;

/// A sample that can't be read, and why.
struct UnreadableSample {
    int64_t sample = 0;
    std::string why;
};

/// Checks all samples on several threads and returns them in order. `isWhole`: reads each to its
/// end.
std::vector<UnreadableSample> unreadableSamples(const Dataset& data, bool isWhole,
                                                const LookProgress& progress = {});

/// D114: samples that can't be read (error), such as damaged pictures. Up to a few thousand samples
/// are each read completely; of more, only what reveals most damage at little cost.
std::vector<Finding> checkReadable(const Dataset& data, const LookProgress& progress = {});

}  // namespace temper
