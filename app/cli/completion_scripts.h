// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/completion_model.h"

namespace temper::cli {

// Scripts that complete `temper` command lines, one per shell. They contain all words and never run
// the program.

/// For bash-completion's folder, or to be sourced.
std::string bashCompletion(const std::vector<CompletionCommand>& commands);
/// For a folder of zsh's $fpath, as _temper.
std::string zshCompletion(const std::vector<CompletionCommand>& commands);
/// For a folder of fish's $fish_complete_path, as temper.fish.
std::string fishCompletion(const std::vector<CompletionCommand>& commands);

}  // namespace temper::cli
