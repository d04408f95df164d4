// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"

#include <unistd.h>

#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/printable_stream.h"
#include "app/cli/usage_error.h"
#include "app/cli/version.h"
#include "engine/core/caught_error.h"

namespace temper::cli {
namespace {

void printError(std::ostream& stream, const std::string& message, const std::string& hint) {
    printProblem(stream, "error", message, hint);
}

/// Help and version are also "errors" of the parser: they have exit status 0.
int reportUsage(const CLI::App& app, const CLI::ParseError& error, CliContext& context) {
    if (error.get_exit_code() == 0) return app.exit(error, context.out, context.err);
    const UsageError described = describeUsageError(app, error, context.arguments);
    printError(context.err, described.message, described.hint);
    return kBadInput;
}

int run(CLI::App& app, int argc, char** argv, CliContext& context) {
    try {
        app.parse(argc, argv);
        return context.exitStatus;
    } catch (const CLI::ParseError& error) {
        return reportUsage(app, error, context);
    } catch (const std::exception&) {
        const Error error = caughtError();
        printError(context.err, error.what(), error.hint());
        return exitStatusOf(error.code());
    }
}

/// Reports which plugins can't be loaded.
std::vector<PluginReport> loadPlugins(CliContext& context) {
    std::vector<PluginReport> reports = temper::loadPlugins(pluginFolders());
    for (const PluginReport& plugin : reports) {
        if (plugin.isLoaded()) continue;
        printProblem(context.err, "warning",
                     std::string("plugin ") + (plugin.isFolder ? "folder '" : "'") +
                         plugin.file.string() + "' is not loaded: " + plugin.problem,
                     plugin.hint);
    }
    return reports;
}

/// Results that could not be written (full disk, closed pipe) are a failure.
int finish(int status, CliContext& context) {
    context.out.flush();
    if (context.out.good()) return status;
    printError(context.err, "The results can't be written to standard output.", "");
    return status == kSuccess ? kFailure : status;
}

}  // namespace

int runProgram(int argc, char** argv) {
    const std::vector<std::string> arguments(argv, argv + argc);
    PrintableStream out(std::cout), err(std::cerr);
    CliContext context{
        out, err, std::cerr, isatty(STDERR_FILENO) == 1, arguments, shellCommand(arguments)};
    context.plugins = loadPlugins(context);
    CLI::App app("Trains ONNX models: artifacts, training, evaluation, export.", "temper");
    app.set_version_flag("--version", versionText());
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    addCommands(app, context);
    return finish(run(app, argc, argv, context), context);
}

}  // namespace temper::cli
