// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "engine/core/error.h"

namespace temper::ui {

class StudioProject;

/// Something that stands in the way or deserves a look, and the page it belongs to.
struct ListedProblem {
    Finding finding;
    QString page;
};

/// Training is possible, but the loss reads a tensor that it learns badly from.
bool isAboutLossInput(const Finding& finding);

/// The loss reads the value, as one undoable edit.
void letLossRead(StudioProject& project, const std::string& value);

/// Everything that was found about model, choices and data; errors first.
std::vector<ListedProblem> problemsOf(const StudioProject& project);

/// A way out of a problem, as one undoable edit.
struct ProblemFix {
    QString label;
    std::function<void()> apply;
};

/// What the window can do about a problem; may be empty. `project` outlives the functions.
std::vector<ProblemFix> fixesOf(const Finding& finding, StudioProject& project);

}  // namespace temper::ui
