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

/// Columns of up to this many bytes are checked completely: half of the memory, so that the data is
/// still cached for the first epoch.
size_t mostLookedAtWhole();

/// Problems and oddities of the samples:
/// D101 NaN or infinity (error), D102 values that never change (info), D103 classes with few or no
/// samples (warning), D104 labels outside the classes (error), D105 no samples (error), D109
/// features with a scale far from 1 (info), D116 columns that were checked in part (info): pieces
/// at equal distances of columns larger than `mostWhole` bytes.
std::vector<Finding> checkData(const Dataset& data, size_t mostWhole = mostLookedAtWhole());

/// A finding about the data, which has no node.
Finding dataFinding(const char* code, Severity severity, std::string message, std::string hint);

/// checkData() of the training samples, and what all samples together show:
/// D106 duplicate samples (warning), D107 evaluation samples that are also among the training
/// samples (warning), D108 classes of very different size (info). `cancelled` ends the comparison
/// early; the findings then cover the samples compared so far.
std::vector<Finding> checkOpenedData(const OpenedData& data, const Cancelled& cancelled = {});

/// The option of a specification that fixes a finding, and its value.
struct DataFix {
    std::string option;
    std::string value;
};
/// Nothing if no option fixes it, or the option is already set.
std::optional<DataFix> fixFor(const Finding& finding, const DataSpec& spec);
/// `spec` with the option set, as text.
std::string withOption(const DataSpec& spec, const std::string& option, const std::string& value);

/// Weights that make all classes count equally: samples / (classes * samples of the class); 1 for a
/// class without samples. Source: scikit-learn's class_weight="balanced".
std::vector<double> balancedClassWeights(const std::vector<int64_t>& counts);

/// Samples per class of a categorical column; labels outside the classes do not count. Columns
/// larger than `mostWhole` bytes are counted in part, as checkData() reads them.
std::vector<int64_t> countClasses(const Dataset& data, size_t column,
                                  size_t mostWhole = std::numeric_limits<size_t>::max());

}  // namespace temper
