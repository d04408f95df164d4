// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/cli/completion_scripts.h"
#include "app/cli/completion_text.h"
#include "engine/core/joined.h"

namespace temper::cli {
namespace {

std::string zshText(const std::string& text) { return escaped(text, "[]:\\"); }

std::string zshAction(const CompletionValue& value) {
    switch (value.kind) {
        case CompletionValue::Kind::File: return "_files";
        case CompletionValue::Kind::Folder: return "_files -/";
        case CompletionValue::Kind::Words: return "(" + joinedBy(" ", value.words) + ")";
        case CompletionValue::Kind::Anything: break;
    }
    return "";
}

std::string zshOption(const CompletionOption& option, const std::string& name) {
    std::string spec = (option.repeats ? "*" : "") + name;
    if (option.takesValue) spec += name.starts_with("--") ? "=" : "+";
    spec += "[" + zshText(shortHelp(option.help)) + "]";
    if (option.takesValue) spec += ":value:" + zshAction(option.value);
    return " \\\n        " + shellQuoted(spec);
}

std::string zshName(const std::string& path) {
    std::string name = path.empty() ? "_temper" : "_temper_" + path;
    std::ranges::replace(name, ' ', '_');
    return name;
}

/// For a command with subcommands: their names, then their arguments.
std::string zshDispatch(const CompletionCommand& command,
                        const std::vector<CompletionCommand>& all) {
    std::string names, cases;
    for (const std::string& sub : command.subcommands) {
        const CompletionCommand& child = commandAt(all, childPath(command, sub));
        names += "            " + shellQuoted(sub + ":" + zshText(child.help)) + "\n";
        cases += "        " + sub + ") " + zshName(child.path) + " ;;\n";
    }
    return " \\\n        '1:command:->command' '*::argument:->argument'\n"
           "    case $state in\n    command)\n        names=(\n" +
           names +
           "        )\n        _describe command names\n        ;;\n"
           "    argument)\n        case $line[1] in\n" +
           cases + "        esac\n        ;;\n    esac\n";
}

std::string zshPositionals(const CompletionCommand& command) {
    std::string text;
    for (size_t i = 0; i < command.positionals.size(); ++i) {
        const CompletionPositional& positional = command.positionals[i];
        const std::string place = positional.repeats ? "*" : std::to_string(i + 1);
        text += " \\\n        " +
                shellQuoted(place + ":" + positional.name + ":" + zshAction(positional.value));
    }
    return text + "\n";
}

std::string zshCommand(const CompletionCommand& command,
                       const std::vector<CompletionCommand>& all) {
    std::string text = zshName(command.path) + "() {\n";
    const bool dispatches = !command.subcommands.empty();
    if (dispatches) text += "    local curcontext=$curcontext state line names\n";
    text += dispatches ? "    _arguments -C" : "    _arguments";
    for (const CompletionOption& option : command.options) {
        for (const std::string& name : option.names) text += zshOption(option, name);
    }
    return text + (dispatches ? zshDispatch(command, all) : zshPositionals(command)) + "}\n\n";
}

}  // namespace

std::string zshCompletion(const std::vector<CompletionCommand>& commands) {
    std::string text = "#compdef temper\n# Made by 'temper completion zsh'.\n\n";
    for (const CompletionCommand& command : commands) text += zshCommand(command, commands);
    return text + "_temper \"$@\"\n";
}

}  // namespace temper::cli
