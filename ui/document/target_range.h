// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/dataset.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper::ui {

/// D123: targets of the data that are meaningless to the loss, such as 3 for binary cross entropy,
/// whose targets are between 0 and 1. Examines the first few thousand samples. Class labels are
/// checked when they are bound. `targets` are the inputs that the loss reads.
std::vector<Finding> findTargetsOutOfRange(const Selection& loss,
                                           const std::vector<std::string>& targets,
                                           const std::map<std::string, std::string>& binding,
                                           const Dataset& data);

}  // namespace temper::ui
