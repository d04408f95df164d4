// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace temper::cli {

/// What to tell about a command line that can't be parsed.
struct UsageError {
    std::string message;
    std::string hint;
};

/// Names the first word that is unknown, with what may have been meant: an option or command that
/// is spelt like it, or the command that has the option. `arguments`: as typed.
UsageError describeUsageError(const CLI::App& app, const CLI::ParseError& error,
                              const std::vector<std::string>& arguments);

}  // namespace temper::cli
