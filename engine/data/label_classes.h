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

/// Whether the numbers are 0, 1, ..., n-1, all present.
bool areClassIndices(const std::set<double>& numbers);

/// Whether the distinct numbers of a target with `rows` rows are classes. If neither they nor the
/// model decide it, whole numbers are classes if they are consecutive, or few and often repeated.
bool areClasses(const std::set<double>& numbers, size_t rows, const TargetForm& model);

/// Whether the numbers are class indices of the model.
bool areIndicesOf(const TargetForm& model, const std::set<double>& numbers);

/// "0", "1", ...
std::vector<std::string> namesOfIndices(int64_t count);

/// Makes `column` a column of classes if the integers `labels`, one for each sample, are its
/// target: labels below 1,000 are already class indices. Others, such as 1, 2, 3 or 0, 1, 7, are
/// replaced by their rank if the model has exactly as many classes and each label is repeated; the
/// numbers then become the names of the classes.
/// `like`: the data that these have to match, or null; a label that is not in its column of that
/// name becomes an index outside the classes.
/// Returns: the labels as class indices.
RowsPtr asClassIndices(RowsPtr labels, Column& column, const TargetForm& model,
                       const Dataset* like);

}  // namespace temper
