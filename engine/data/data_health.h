// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/clean_data.h"
#include "engine/data/dataset.h"
#include "engine/data/open_data.h"

namespace temper {

/// Bytes up to which a column is looked at as a whole: half of the memory, so that what was read
/// is still there for the first epoch.
size_t mostLookedAtWhole();

/// What is wrong or odd with the samples:
/// D101 NaN or infinity (error), D102 values that never change (info), D103 classes without or with
/// few samples (warning), D104 labels outside the classes (error), D105 no samples (error), D109
/// features far from the size of 1 (info), D116 columns of which a part was looked at (info): of
/// those larger than `mostWhole` bytes, pieces in equal distances.
std::vector<Finding> checkData(const Dataset& data, size_t mostWhole = mostLookedAtWhole());

/// A finding of the data, which has no node.
Finding dataFinding(const char* code, Severity severity, std::string message, std::string hint);

/// checkData() of the training samples, and what is seen from all samples together:
/// D106 samples that are there more than once (warning), D107 evaluation samples that are also
/// among the training samples (warning), D108 classes of very different size (info). `cancelled`
/// ends the comparison early; the findings are then of the samples compared so far.
std::vector<Finding> checkOpenedData(const OpenedData& data, const Cancelled& cancelled = {});

/// The option of a specification that mends a finding, and its value.
struct DataFix {
    std::string option;
    std::string value;
};
/// Nothing where no option mends it, or it is already set.
std::optional<DataFix> fixFor(const Finding& finding, const DataSpec& spec);
/// `spec` with the fix, as text.
std::string withOption(const DataSpec& spec, const std::string& option, const std::string& value);

/// Weights that make all classes count the same: samples / (classes * samples of the class); 1 for
/// a class without samples. Source: scikit-learn's class_weight="balanced".
std::vector<double> balancedClassWeights(const std::vector<int64_t>& counts);

/// Samples per class of a categorical column; labels outside the classes do not count. Of a column
/// larger than `mostWhole` bytes a part is counted, as checkData() looks at it.
std::vector<int64_t> countClasses(const Dataset& data, size_t column,
                                  size_t mostWhole = std::numeric_limits<size_t>::max());

}  // namespace temper
