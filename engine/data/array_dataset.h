// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/target_form.h"

namespace temper {

/// Arrays with the names of their columns.
using NamedRows = std::vector<std::pair<std::string, RowsPtr>>;

/// Arrays as samples. `targets`: the columns to predict; if empty, those with a usual name ("y",
/// "label", ...). Integers among them become class indices (see asClassIndices(), which explains
/// `model` and `same`), float16 becomes float32.
/// Throws: Error(InvalidInput) if the numbers of samples differ or an array is a scalar.
std::shared_ptr<const Dataset> datasetOfArrays(const NamedRows& arrays,
                                               const std::vector<std::string>& targets,
                                               const TargetForm& model, const Dataset* same);

}  // namespace temper
