// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>

#include "engine/training/parameters/trainable_choice.h"

namespace temper::ui {

class StudioProject;

/// Parameters that are chosen to train and that a gradient reaches: a parameter named by an error
/// does not train, whatever was chosen. Only if a model is open.
std::set<std::string> parametersThatTrain(const StudioProject& project);

/// Counts of them, as `temper inspect` counts: the same everywhere in the window.
ParameterCounts trainingCounts(const StudioProject& project);

}  // namespace temper::ui
