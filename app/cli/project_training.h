// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/cli_context.h"
#include "engine/training/trainer/run_control.h"

namespace temper::cli {

struct ProjectTraining {
    std::string folder;
    bool continuesRun = false;      ///< continue the newest unfinished run
    int64_t run = 0;                ///< begin or continue this run of the history; 0: a new one
    std::string log = {};           ///< in addition to the run's own; empty: none
    std::string report = {};        ///< a page about the run; empty: none
    std::string profile = {};       ///< a Chrome trace of some steps; empty: none
    RunControl* control = nullptr;  ///< what others request of the run; null: nothing
};

/// Trains the project in a folder as the window does, into its history of runs.
/// Throws: Error, also if there is no run to continue.
void trainProject(const ProjectTraining& options, CliContext& context);

}  // namespace temper::cli
