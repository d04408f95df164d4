// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/cli/cli_context.h"

namespace temper::cli {

struct ProjectTraining {
    std::string folder;
    bool continuesRun = false;  ///< continue the newest unfinished run
    std::string log;            ///< in addition to the run's own; empty: none
    std::string report;         ///< a page about the run; empty: none
    std::string profile;        ///< a Chrome trace of some steps; empty: none
};

/// Trains the project in a folder as the window does, into its history of runs.
/// Throws: Error, also if there is no run to continue.
void trainProject(const ProjectTraining& options, CliContext& context);

}  // namespace temper::cli
