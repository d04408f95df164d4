// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/target_form.h"

namespace temper {

/// Asked now and then; true ends the work early.
using Cancelled = std::function<bool()>;

/// Whether the column holds one class index for each sample, as the file says it: those that are
/// beyond the model's classes can be left out.
bool holdsClassIndices(const Column& column);

/// Samples without NaN and infinity whose labels are classes, in order. Labels that are class
/// indices as they are have to be below the model's number of classes, too, if `model` says it.
std::vector<int64_t> validSamples(const Dataset& data, const TargetForm& model = {});

/// Fingerprints of all samples, in order; fewer where it was cancelled.
std::vector<uint64_t> fingerprints(const Dataset& data, const Cancelled& cancelled = {});

/// Samples whose fingerprint is neither in `seen` nor that of an earlier one; they are added.
std::vector<int64_t> newSamples(const Dataset& data, std::set<uint64_t>& seen);

}  // namespace temper
