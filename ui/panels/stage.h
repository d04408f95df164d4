// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace temper::ui {

class StudioProject;
class RunModel;
class RunController;

/// State of a step of the workflow.
enum class StageState {
    Locked,     ///< needs another step first
    Attention,  ///< something is missing or wrong
    Ready,      ///< usable as it is
    Running,
    Done,
};

struct StageStatus {
    StageState state = StageState::Locked;
    QString text;  ///< why, in three to six words
};

/// The inputs of a page's status.
struct StageContext {
    const StudioProject& project;
    const RunModel& run;
    const RunController& controller;
};

/// Status of a page that shows a model while none is open.
StageStatus openModelFirst();

/// "3 problems found".
StageStatus problemsFound(int64_t count);

}  // namespace temper::ui
