// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace temper::cli {

/// What a shell offers where a value is expected.
struct CompletionValue {
    enum class Kind { Anything, File, Folder, Words };
    Kind kind = Kind::Anything;  ///< Anything: a number or a name, which nobody can guess
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

/// A command, as far as shells want to know it.
struct CompletionCommand {
    std::string path;  ///< "checkpoint show"; "" for the program itself
    std::string help;
    std::vector<CompletionOption> options{};
    std::vector<CompletionPositional> positionals{};
    std::vector<std::string> subcommands{};  ///< their names, without those that are hidden
};

/// The program and all its commands, each in front of its subcommands: what the parser knows.
std::vector<CompletionCommand> completionCommands(const CLI::App& app);

}  // namespace temper::cli
