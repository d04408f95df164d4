// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace temper::cli {

/// What a shell offers when a value is expected.
struct CompletionValue {
    enum class Kind { Anything, File, Folder, Words };
    Kind kind = Kind::Anything;  ///< Anything: a number or a name, which can't be guessed
    std::vector<std::string> words{};
};

struct CompletionOption {
    std::vector<std::string> names;  ///< "-h", "--help"
    std::string help;
    bool takesValue = false;
    bool repeats = false;  ///< takes several values
    CompletionValue value;
};

struct CompletionPositional {
    std::string name;
    bool repeats = false;
    CompletionValue value;
};

/// A command, as far as shells need to know it.
struct CompletionCommand {
    std::string path;  ///< "checkpoint show"; "" for the program itself
    std::string help;
    std::vector<CompletionOption> options{};
    std::vector<CompletionPositional> positionals{};
    std::vector<std::string> subcommands{};  ///< their names, without hidden ones
};

/// The program and all its commands, each before its subcommands, as the parser knows them.
std::vector<CompletionCommand> completionCommands(const CLI::App& app);

}  // namespace temper::cli
