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

/// Polled now and then; true ends the work early.
using Cancelled = std::function<bool()>;

/// Whether the column holds one class index for each sample, and the file numbers the model's
/// `classes` in the same way: samples with other labels can be left out.
bool holdsClassIndices(const Column& column, int64_t classes);

/// Samples without NaN and infinity whose labels are classes, in order. Labels that are class
/// indices already also have to be below the model's number of classes, if `model` gives it.
std::vector<int64_t> validSamples(const Dataset& data, const TargetForm& model = {});

/// Fingerprints of all samples, in order; fewer if cancelled.
std::vector<uint64_t> fingerprints(const Dataset& data, const Cancelled& cancelled = {});

/// Samples whose fingerprint is neither in `seen` nor that of an earlier sample; adds them to
/// `seen`.
std::vector<int64_t> newSamples(const Dataset& data, std::set<uint64_t>& seen);

}  // namespace temper
