// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/rows.h"
#include "engine/data/target_form.h"

namespace temper {

/// Whether numbers are 0, 1, ..., n-1, each of them present.
bool areClassIndices(const std::set<double>& numbers);

/// Whether the distinct numbers of a target, which has so many rows, are classes. Where neither
/// they nor the model say so, whole numbers are classes if they are consecutive or few and come
/// again and again.
bool areClasses(const std::set<double>& numbers, size_t rows, const TargetForm& model);

/// Whether the model has classes of these very numbers.
bool areIndicesOf(const TargetForm& model, const std::set<double>& numbers);

/// "0", "1", ...
std::vector<std::string> namesOfIndices(int64_t count);

/// Makes `column` one of classes where the integers `labels` are its target, one for each sample:
/// labels below 1,000 are class indices as they are. Others, such as 1, 2, 3 or 0, 1, 7, become the
/// indices of their order where the model has exactly as many classes and each comes again; their
/// numbers are then the names of the classes.
/// `like`: the data that these have to fit, or null; a label that its column of that name does not
/// have becomes an index beyond the classes.
/// Returns: the labels as class indices.
RowsPtr asClassIndices(RowsPtr labels, Column& column, const TargetForm& model,
                       const Dataset* like);

}  // namespace temper
