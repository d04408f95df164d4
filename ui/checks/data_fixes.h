// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/training/spec/choice.h"
#include "ui/checks/problem_list.h"
#include "ui/document/loaded_data.h"

namespace temper::ui {

/// What the window can do about a finding of the data: leave samples out, weigh the classes, fill
/// missing values, choose a loss that takes the targets. `project` outlives the functions.
std::vector<ProblemFix> dataFixesOf(const Finding& finding, StudioProject& project);

/// The key of a loss's list with one weight for each class.
inline constexpr auto kClassWeights = "weight";

/// The chosen loss takes a weight for each class.
bool takesClassWeights(const Selection& loss);
/// The target that names classes; null if there is none.
const Column* classColumnOf(const LoadedData& data);
/// Sets weights that make every class count the same, undoably; does nothing if the data has no
/// classes.
void weighClasses(StudioProject& project);
void removeClassWeights(StudioProject& project);

/// Changes the options of the training data, undoably. Edits of the same `mergeId` in a row become
/// one.
void editDataOptions(StudioProject& project, const QString& text,
                     const std::function<void(std::map<std::string, std::string>&)>& change,
                     int mergeId = -1);
/// Changes one of them; empty removes it.
void editDataOption(StudioProject& project, const QString& text, const std::string& option,
                    const std::string& value, int mergeId = -1);

}  // namespace temper::ui
