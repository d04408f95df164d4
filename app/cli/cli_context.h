// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/shell_command.h"
#include "engine/plugins/plugin_loader.h"

namespace temper::cli {

using Json = nlohmann::ordered_json;

/// The environment of a command: results go to `out`, everything for human readers to `err`. Both
/// show text as printable() does.
struct CliContext {
    std::ostream& out;
    std::ostream& err;
    std::ostream& terminal;  ///< as `err`, for a bar: passes on control sequences
    bool errIsTerminal = false;
    std::vector<std::string> arguments;      ///< of the program, which is the first
    std::string commandLine;                 ///< as typed into a shell
    std::vector<PluginReport> plugins = {};  ///< all that were found
    int exitStatus = 0;  ///< may be set by a command that did its work, e.g. for failed checks
};

/// 2 for what the user can change, 1 for everything else.
int exitStatusOf(ErrorCode code);

/// One JSON document on one line. Numbers that are not finite become null.
void printJson(CliContext& context, const Json& document);

/// Prints rows of cells in columns, each as wide as its widest cell; `rightAligned` are the columns
/// of numbers.
void printTable(std::ostream& stream, std::vector<std::vector<std::string>> rows,
                const std::vector<size_t>& rightAligned = {});

/// "1.2 MiB"; "812 B".
std::string formatBytes(double bytes);
/// Six significant digits.
std::string formatNumber(double value);
/// "'a', 'b'".
std::string quotedList(const std::vector<std::string>& names);

/// {"code", "severity", "node", "op", "message", "hint", "parameters"}.
Json toJson(const std::vector<Finding>& findings);
/// "error: message" and its hint, or with another `word` at the start.
void printProblem(std::ostream& stream, std::string_view word, const std::string& message,
                  const std::string& hint);
/// "warning G001: message" and its hint, for human readers.
void printFindings(std::ostream& stream, const std::vector<Finding>& findings);

}  // namespace temper::cli
