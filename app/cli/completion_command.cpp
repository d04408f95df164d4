// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/completion_scripts.h"

namespace temper::cli {
namespace {

std::string completionFor(const std::string& shell, const CLI::App& app) {
    const std::vector<CompletionCommand> commands = completionCommands(app);
    if (shell == "bash") return bashCompletion(commands);
    return shell == "zsh" ? zshCompletion(commands) : fishCompletion(commands);
}

}  // namespace

/// Hidden: packages contain its output; docs/packaging.md mentions it.
void addCompletionCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("completion", "Print a script that completes commands");
    const auto shell = std::make_shared<std::string>();
    command->group("");
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->callback([shell, &app, &context] { context.out << completionFor(*shell, app); });
}

}  // namespace temper::cli
