// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/core/error.h"

namespace temper::ui {

class StudioProject;

/// Findings that are errors.
int64_t errorCount(const std::vector<Finding>& findings);

/// An error of the trainability analysis: a node keeps gradients from parameters.
bool isGradientError(const Finding& finding);

/// Of the prepared model: the model's matter, not the loss's.
int64_t gradientErrors(const StudioProject& project);

/// The loss does not fit the model, or its artifacts could not be built.
bool hasObjectiveProblem(const StudioProject& project);

/// What is wrong with data that is there but can't be trained on, in a few words.
QString dataObstacle(const StudioProject& project);

/// Why training can't start, and the page that mends it; both empty if it can.
struct StartObstacle {
    QString text;
    QString pageId;
};
StartObstacle startObstacle(const StudioProject& project);

}  // namespace temper::ui
