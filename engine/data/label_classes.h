// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/rows.h"
#include "engine/data/target_form.h"

namespace temper {

/// The number of rows of each distinct number, in ascending order.
using RowsOfNumbers = std::map<double, int64_t>;

/// Whether the numbers are 0, 1, ..., n-1, all present.
bool areClassIndices(const RowsOfNumbers& numbers);

/// Whether the numbers of a target with `rows` rows are classes. If neither they nor the
/// model decide it, whole numbers are classes if they are consecutive, or few and often repeated.
bool areClasses(const RowsOfNumbers& numbers, size_t rows, const TargetForm& model);

/// Whether the number is a class index of the model.
bool isIndexOf(const TargetForm& model, double number);

/// Whether the numbers are class indices of the model, apart from mistakes in less than half of the
/// rows. Numbers without 0, or as many as the model has classes, may number the classes in another
/// way: none of them is a mistake.
bool areIndicesOf(const TargetForm& model, const RowsOfNumbers& numbers);

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
