// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/completion_model.h"

namespace temper::cli {

/// With a backslash before each of these characters.
std::string escaped(const std::string& text, const std::string& characters);
/// In single quotes, as bash and zsh read them.
std::string shellQuoted(const std::string& text);
/// The help up to the first colon, for lists with one line per option.
std::string shortHelp(const std::string& help);

/// The command at a path, which has to exist.
const CompletionCommand& commandAt(const std::vector<CompletionCommand>& commands,
                                   std::string_view path);
/// The path of a subcommand.
std::string childPath(const CompletionCommand& command, const std::string& name);

}  // namespace temper::cli
