// SPDX-License-Identifier: Apache-2.0
#include "app/cli/usage_error.h"

#include <algorithm>

#include "engine/core/closest_word.h"
#include "engine/core/joined.h"

namespace temper::cli {
namespace {

using Apps = std::vector<const CLI::App*>;

bool isOption(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// The program and the command that was called, with its subcommand, as in 'checkpoint show'.
Apps calledApps(const CLI::App& app) {
    Apps called{&app};
    while (!called.back()->get_subcommands().empty())
        called.push_back(called.back()->get_subcommands().front());
    return called;
}

std::string nameOf(const Apps& apps) {
    return joinedBy(" ", apps, [](const CLI::App* app) { return app->get_name(); });
}

/// Whether a word that is no option should have been a command.
bool takesCommand(const Apps& called) {
    return called.size() == 1 || called.back()->get_require_subcommand_min() > 0;
}

/// The first word, as typed, that the command does not know, or empty. Options come before other
/// words, which may be their values, unless one is in a command's place.
std::string unknownWord(const Apps& called, const std::vector<std::string>& arguments) {
    const std::vector<std::string> rest = called.back()->remaining();
    const auto isUnknown = [&](const std::string& word) {
        return std::ranges::find(rest, word) != rest.end();
    };
    const auto isUnknownOption = [&](const std::string& word) {
        return isOption(word) && isUnknown(word);
    };
    const auto word = std::ranges::find_if(arguments, isUnknown);
    if (word == arguments.end()) return {};
    if (!isOption(*word) && takesCommand(called)) return *word;
    const auto option = std::ranges::find_if(arguments, isUnknownOption);
    return option == arguments.end() ? *word : option->substr(0, option->find('='));
}

std::vector<std::string> optionsOf(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back(name);
    return names;
}

/// All commands below, each with those that lead to it.
void addCommandsBelow(const Apps& apps, std::vector<Apps>& found) {
    const auto isNamed = [](const CLI::App* app) { return !app->get_name().empty(); };
    for (const CLI::App* command : apps.back()->get_subcommands(isNamed)) {
        Apps deeper = apps;
        deeper.push_back(command);
        found.push_back(deeper);
        addCommandsBelow(deeper, found);
    }
}

/// "--loss is an option of 'temper artifacts'. "
std::string commandsWith(const std::string& option, const CLI::App& app) {
    constexpr size_t kShown = 3;
    std::vector<Apps> commands;
    addCommandsBelow({&app}, commands);
    std::erase_if(commands, [&](const Apps& command) {
        const std::vector<std::string> options = optionsOf(*command.back());
        return std::ranges::find(options, option) == options.end();
    });
    if (commands.empty()) return {};
    return "--" + option + " is an option of " +
           joined(
               commands, [](const Apps& apps) { return "'" + nameOf(apps) + "'"; }, kShown) +
           ". ";
}

std::string hintFor(const std::string& word, const Apps& called) {
    const CLI::App& command = *called.back();
    if (isOption(word)) {
        const std::string name = word.substr(word.find_first_not_of('-'));
        const std::string closest = closestWord(name, optionsOf(command));
        const std::string elsewhere = commandsWith(name, *called.front());
        if (!elsewhere.empty()) return elsewhere;
        return closest.empty() ? std::string() : "Did you mean '--" + closest + "'? ";
    }
    std::vector<std::string> names;
    for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(each->get_name());
    return didYouMean(word, names);
}

/// Of CLI11, or a better text: every value that it converts is a number.
std::string messageOf(const CLI::ParseError& error) {
    const std::string message = error.what(), unread = "Could not convert: ", equals = " = ";
    const size_t at = message.find(equals);
    if (!message.starts_with(unread) || at == std::string::npos) return message;
    return message.substr(unread.size(), at - unread.size()) + ": '" +
           message.substr(at + equals.size()) + "' is not a valid number";
}

}  // namespace

UsageError describeUsageError(const CLI::App& app, const CLI::ParseError& error,
                              const std::vector<std::string>& arguments) {
    const Apps called = calledApps(app);
    const std::string word = unknownWord(called, arguments);
    const std::string help = called.size() == 1 ? "See 'temper --help' or 'temper COMMAND --help'."
                                                : "See '" + nameOf(called) + " --help'.";
    if (word.empty()) return {messageOf(error), help};
    const std::string kind = isOption(word)         ? "option"
                             : takesCommand(called) ? "command"
                                                    : "argument";
    return {"Unknown " + kind + " '" + word + "'.", hintFor(word, called) + help};
}

}  // namespace temper::cli
