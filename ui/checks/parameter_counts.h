// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>

#include "engine/training/parameters/trainable_choice.h"

namespace temper::ui {

class StudioProject;

/// Parameters that are chosen to train and that a gradient reaches: what an error names does not
/// train, whatever was chosen. Only if a model is open.
std::set<std::string> parametersThatTrain(const StudioProject& project);

/// Counts over them, as `temper inspect` counts: the same in every place of the window.
ParameterCounts trainingCounts(const StudioProject& project);

}  // namespace temper::ui
