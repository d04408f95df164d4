// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/dataset.h"

namespace temper {

/// One check of a column's values, which are read once for all checks.
class ColumnLook {
public:
    ColumnLook(const Dataset& data, size_t column);
    virtual ~ColumnLook() = default;
    /// Receives the samples in pieces; `begin` is the first sample of the piece.
    virtual void see(int64_t begin, const Tensor& piece) = 0;
    /// Adds the findings.
    virtual void report(std::vector<Finding>& findings) const = 0;

protected:
    const Column& column() const { return data_.columns()[index_]; }

    const Dataset& data_;
    size_t index_;
    size_t perSample_;  ///< elements
};
using ColumnLooks = std::vector<std::unique_ptr<ColumnLook>>;

/// D101 NaN or infinity.
std::unique_ptr<ColumnLook> lookForFinite(const Dataset& data, size_t column);
/// D102 values that never change.
std::unique_ptr<ColumnLook> lookForConstant(const Dataset& data, size_t column);
/// D104 labels outside the classes.
std::unique_ptr<ColumnLook> lookForLabelRange(const Dataset& data, size_t column);
/// D103 classes with few or no samples.
std::unique_ptr<ColumnLook> lookForRareClasses(const Dataset& data, size_t column);

/// The name in messages: "'length'"; the index if it has no name: "element 3", "element [1, 0, 2]",
/// counted from 0.
std::string nameOfElement(const Column& column, size_t element);

/// Adds the number of samples of each class to `counts`; labels outside the classes do not count.
void addClassCounts(const Tensor& labels, std::vector<int64_t>& counts);

}  // namespace temper
