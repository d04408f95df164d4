// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/printable_stream.h"
#include "app/cli/version.h"
#include "engine/core/caught_error.h"
#include "engine/core/closest_word.h"

namespace temper::cli {
namespace {

void printError(std::ostream& stream, const std::string& message, const std::string& hint) {
    printProblem(stream, "error", message, hint);
}

/// The command that was called, or its subcommand, as in 'checkpoint show'.
const CLI::App& calledCommand(const CLI::App& app) {
    const auto called = app.get_subcommands();
    return called.empty() ? app : calledCommand(*called.front());
}

/// The first word that the command does not know, or empty.
std::string unknownWord(const CLI::App& command) {
    const std::vector<std::string> rest = command.remaining();
    const auto isOption = [](const std::string& word) { return word.starts_with('-'); };
    const auto option = std::ranges::find_if(rest, isOption);
    if (option != rest.end()) return option->substr(0, option->find('='));
    return rest.empty() ? std::string() : rest.front();
}

/// Possible replacements of the word: options, or commands.
std::vector<std::string> wordsLike(const std::string& word, const CLI::App& command) {
    std::vector<std::string> words;
    if (word.starts_with('-')) {
        for (const CLI::Option* option : command.get_options()) {
            for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
        }
    } else {
        const auto any = [](const CLI::App*) { return true; };
        for (const CLI::App* each : command.get_subcommands(any)) words.push_back(each->get_name());
    }
    return words;
}

/// Names the word that is not a command or option; empty if the parser's own message is enough.
std::string misplacedWord(const CLI::App& app, const std::string& word) {
    if (!app.get_subcommands().empty() || word.empty()) return {};
    return std::string("Unknown ") + (word.starts_with('-') ? "option" : "command") + " '" + word +
           "'.";
}

/// Of CLI11, or a better text: every value that it converts is a number.
std::string messageOf(const CLI::ParseError& error) {
    const std::string message = error.what(), unread = "Could not convert: ", equals = " = ";
    const size_t at = message.find(equals);
    if (!message.starts_with(unread) || at == std::string::npos) return message;
    return message.substr(unread.size(), at - unread.size()) + ": '" +
           message.substr(at + equals.size()) + "' is not a valid number";
}

/// Help and version are also "errors" of the parser: they have exit status 0.
int reportUsage(const CLI::App& app, const CLI::ParseError& error, CliContext& context) {
    if (error.get_exit_code() == 0) return app.exit(error, context.out, context.err);
    const CLI::App& command = calledCommand(app);
    const std::string word = unknownWord(command);
    const std::string misplaced = misplacedWord(app, word);
    printError(context.err, misplaced.empty() ? messageOf(error) : misplaced,
               didYouMean(word, wordsLike(word, command)) +
                   "See 'temper --help' or 'temper COMMAND --help'.");
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
