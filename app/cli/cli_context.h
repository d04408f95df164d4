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

/// What a command works with: results go to `out`, everything for the eye to `err`. Both show text
/// as printable() does.
struct CliContext {
    std::ostream& out;
    std::ostream& err;
    std::ostream& terminal;  ///< as `err`, for a bar: what controls a terminal gets there
    bool errIsTerminal = false;
    std::string commandLine;                 ///< as it would be typed into a shell
    std::vector<PluginReport> plugins = {};  ///< all that were found
    int exitStatus = 0;  ///< what a command that did its work may set, e.g. for failed checks
};

/// One JSON document on one line. Numbers that are not finite become null.
void printJson(CliContext& context, const Json& document);

/// Lines of cells under each other, each column as wide as its widest cell; `rightAligned` are
/// the columns of numbers.
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
/// "error: message" and its hint, or another `word` in front.
void printProblem(std::ostream& stream, std::string_view word, const std::string& message,
                  const std::string& hint);
/// "warning G001: message" and its hint, for the eye.
void printFindings(std::ostream& stream, const std::vector<Finding>& findings);

}  // namespace temper::cli
