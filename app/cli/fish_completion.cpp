// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completion_scripts.h"
#include "app/cli/completion_text.h"
#include "engine/core/joined.h"

namespace temper::cli {
namespace {

constexpr const char* kFishFunctions = R"fish(
# Whether these commands come first.
function __temper_at
    set -l words (commandline -opc)
    set -l last (math 1 + (count $argv))
    test (count $words) -ge $last
    and test "$words[2..$last]" = "$argv"
end
# The same, with nothing after them.
function __temper_ends
    set -l words (commandline -opc)
    test (count $words) -eq (math 1 + (count $argv))
    and begin
        test (count $argv) -eq 0
        or __temper_at $argv
    end
end
complete -c temper -f
)fish";

std::string fishQuoted(const std::string& text) { return "'" + escaped(text, "'\\") + "'"; }

std::string fishValue(const CompletionValue& value) {
    switch (value.kind) {
        case CompletionValue::Kind::File: return " -r -F";
        case CompletionValue::Kind::Folder: return " -x -a '(__fish_complete_directories)'";
        case CompletionValue::Kind::Words:
            return " -x -a " + fishQuoted(joinedBy(" ", value.words));
        case CompletionValue::Kind::Anything: break;
    }
    return " -x";
}

std::string fishOption(const std::string& condition, const CompletionOption& option) {
    std::string text = condition;
    for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (option.takesValue) text += fishValue(option.value);
    return text + " -d " + fishQuoted(shortHelp(option.help)) + "\n";
}

std::string fishPositional(const std::string& condition, const CompletionPositional& positional) {
    if (positional.value.kind == CompletionValue::Kind::Words) {
        return condition + " -a " + fishQuoted(joinedBy(" ", positional.value.words)) + "\n";
    }
    return positional.value.kind == CompletionValue::Kind::Anything ? "" : condition + " -F\n";
}

std::string fishCommand(const CompletionCommand& command,
                        const std::vector<CompletionCommand>& all) {
    const std::string start = "complete -c temper -n ";
    const std::string end =
        command.path.empty() ? "'__temper_ends'" : "'__temper_ends " + command.path + "'";
    const std::string at = command.path.empty() ? end : "'__temper_at " + command.path + "'";
    std::string text;
    for (const std::string& sub : command.subcommands) {
        text += start + end + " -a " + sub + " -d " +
                fishQuoted(commandAt(all, childPath(command, sub)).help) + "\n";
    }
    for (const CompletionOption& option : command.options) text += fishOption(start + at, option);
    if (!command.positionals.empty()) {
        text += fishPositional(start + at, command.positionals.front());
    }
    return text;
}

}  // namespace

std::string fishCompletion(const std::vector<CompletionCommand>& commands) {
    std::string text = std::string("# Made by 'temper completion fish'.\n") + kFishFunctions;
    for (const CompletionCommand& command : commands) text += fishCommand(command, commands);
    return text;
}

}  // namespace temper::cli
