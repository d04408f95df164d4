// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/training/spec/run_spec.h"

namespace temper::ui {

/// The optimizer steps of a run over so many samples. `fixedBatch`: the samples of a batch, if the
/// model takes no other number. 0 if no step can be made, e.g. of fewer samples than that: what is
/// in the way is told when the run is prepared.
int64_t plannedSteps(const RunSpec& run, int64_t samples, std::optional<int64_t> fixedBatch);

}  // namespace temper::ui
