// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

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

/// What the status of a page follows from.
struct StageContext {
    const StudioProject& project;
    const RunModel& run;
    const RunController& controller;
};

/// Of a page that shows a model while none is open.
StageStatus openModelFirst();

/// "3 problems found".
StageStatus problemsFound(int64_t count);

}  // namespace temper::ui
