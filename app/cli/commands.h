// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/cli_context.h"

namespace temper::cli {

/// Adds every command; parsing a command line runs the command it names.
void addCommands(CLI::App& app, CliContext& context);

// One function for each command, in the file of its name.
void addArtifactsCommand(CLI::App& app, CliContext& context);
void addBenchCommand(CLI::App& app, CliContext& context);
void addCheckpointCommand(CLI::App& app, CliContext& context);
void addCompletionCommand(CLI::App& app, CliContext& context);
void addConformanceCommand(CLI::App& app, CliContext& context);
void addDemoCommand(CLI::App& app, CliContext& context);
void addEvaluateCommand(CLI::App& app, CliContext& context);
void addExportCommand(CLI::App& app, CliContext& context);
void addGradcheckCommand(CLI::App& app, CliContext& context);
void addInspectCommand(CLI::App& app, CliContext& context);
void addJobProcessCommand(CLI::App& app, CliContext& context);
void addJobsCommand(CLI::App& app, CliContext& context);
void addPluginsCommand(CLI::App& app, CliContext& context);
void addReportCommand(CLI::App& app, CliContext& context);
void addRunCommand(CLI::App& app, CliContext& context);
void addServeCommand(CLI::App& app, CliContext& context);
void addStepCommand(CLI::App& app, CliContext& context);
void addStudioCommand(CLI::App& app, CliContext& context);
void addTrainCommand(CLI::App& app, CliContext& context);

}  // namespace temper::cli
