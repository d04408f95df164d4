// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"

namespace temper::cli {

void addCommands(CLI::App& app, CliContext& context) {
    addStudioCommand(app, context);
    addDemoCommand(app, context);
    addInspectCommand(app, context);
    addArtifactsCommand(app, context);
    addTrainCommand(app, context);
    addStepCommand(app, context);
    addEvaluateCommand(app, context);
    addRunCommand(app, context);
    addExportCommand(app, context);
    addCheckpointCommand(app, context);
    addGradcheckCommand(app, context);
    addBenchCommand(app, context);
    addServeCommand(app, context);
    addJobsCommand(app, context);
    addJobProcessCommand(app, context);
    addPluginsCommand(app, context);
    addReportCommand(app, context);
    addConformanceCommand(app, context);
    addCompletionCommand(app, context);
}

}  // namespace temper::cli
