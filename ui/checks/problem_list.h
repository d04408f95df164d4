// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "engine/core/error.h"

namespace temper::ui {

class StudioProject;

/// A problem that blocks training or deserves a look, and the page it belongs to.
struct ListedProblem {
    Finding finding;
    QString page;
};

/// Training is possible, but the loss reads a tensor that is hard to learn from.
bool isAboutLossInput(const Finding& finding);

/// Makes the loss read the value, as one undoable edit.
void letLossRead(StudioProject& project, const std::string& value);

/// All findings about model, choices and data; errors first.
std::vector<ListedProblem> problemsOf(const StudioProject& project);

/// A fix of a problem, as one undoable edit.
struct ProblemFix {
    QString label;
    std::function<void()> apply;
};

/// What the window can do about a problem; may be empty. `project` outlives the functions.
std::vector<ProblemFix> fixesOf(const Finding& finding, StudioProject& project);

}  // namespace temper::ui
