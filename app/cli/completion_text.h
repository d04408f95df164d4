// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/completion_model.h"

namespace temper::cli {

/// With spaces between.
std::string joinedWords(const std::vector<std::string>& words);
/// With a backslash in front of each of these characters.
std::string escaped(const std::string& text, const std::string& characters);
/// In single quotes, as bash and zsh read them.
std::string shellQuoted(const std::string& text);
/// The help up to the first colon, for lists that have one line for each option.
std::string shortHelp(const std::string& help);

/// The command at a path that is there.
const CompletionCommand& commandAt(const std::vector<CompletionCommand>& commands,
                                   const std::string& path);
/// The path of a subcommand.
std::string childPath(const CompletionCommand& command, const std::string& name);

}  // namespace temper::cli
