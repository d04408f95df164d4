// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/dataset.h"

namespace temper {

/// What is wrong or odd with the samples:
/// D101 NaN or infinity (error), D102 values that never change (info), D103 classes without or with
/// few samples (warning), D104 labels outside the classes (error), D105 no samples (error).
std::vector<Finding> checkData(const Dataset& data);

/// Samples per class of a categorical column; labels outside the classes do not count.
std::vector<int64_t> countClasses(const Dataset& data, size_t column);

}  // namespace temper
