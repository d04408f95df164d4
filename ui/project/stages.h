// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "engine/core/error.h"

namespace temper::ui {

class StudioProject;
class RunModel;
class RunController;

/// How far a step of the work is.
enum class StageState {
    Locked,     ///< something else comes first
    Attention,  ///< something is missing or wrong
    Ready,      ///< can be used as it is
    Running,
    Done,
};

struct StageStatus {
    StageState state = StageState::Locked;
    QString text;  ///< why, in three to six words
};

/// What the rules below look at.
struct StageContext {
    const StudioProject& project;
    const RunModel& run;
    const RunController& controller;
};

/// An error of the trainability analysis: a node keeps gradients from parameters.
bool isGradientError(const Finding& finding);

StageStatus modelStatus(const StageContext& context);
StageStatus parametersStatus(const StageContext& context);
StageStatus objectiveStatus(const StageContext& context);
StageStatus dataStatus(const StageContext& context);
StageStatus trainStatus(const StageContext& context);
StageStatus evaluateStatus(const StageContext& context);
StageStatus exportStatus(const StageContext& context);

/// Why training can't start, and the page that mends it; both empty where it can.
struct StartObstacle {
    QString text;
    QString pageId;
};
StartObstacle startObstacle(const StudioProject& project);

}  // namespace temper::ui
