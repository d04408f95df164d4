// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/core/error.h"

namespace temper::ui {

class StudioProject;

/// Findings that are errors.
int64_t errorCount(const std::vector<Finding>& findings);

/// An error of the trainability analysis: a node blocks the gradients of parameters.
bool isGradientError(const Finding& finding);

/// Gradient errors of the prepared model: those of the model, not of the loss.
int64_t gradientErrors(const StudioProject& project);

/// The loss does not fit the model, or its artifacts could not be built.
bool hasObjectiveProblem(const StudioProject& project);

/// Why the loaded data can't be trained on, in a few words.
QString dataObstacle(const StudioProject& project);

/// Why training can't start, and the page that fixes it; both empty if it can.
struct StartObstacle {
    QString text;
    QString pageId;
};
StartObstacle startObstacle(const StudioProject& project);

}  // namespace temper::ui
