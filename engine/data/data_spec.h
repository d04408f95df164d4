// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/data_file.h"

namespace temper {

/// Where data is and how to read it: `kind:path?key=value&...`, e.g.
/// `csv:iris.csv?target=species&split=0.8`. The kind may be omitted if the path implies it; in
/// values, %26 stands for & and %25 for %.
struct DataSpec {
    std::string kind;
    std::string path;
    std::map<std::string, std::string> options;

    bool operator==(const DataSpec&) const = default;

    /// The values of a list "a,b,c"; empty if the option is not given.
    std::vector<std::string> list(const std::string& key) const;
    /// Throws: Error(InvalidInput) if the value is not a number.
    std::optional<double> number(const std::string& key) const;
    /// Throws: Error(InvalidInput) if the value is not an integer >= `minimum`.
    std::optional<int64_t> integer(const std::string& key, int64_t minimum) const;
    /// One of `choices`, the first if the option is not given. Throws: Error(InvalidInput).
    std::string choice(const std::string& key, const std::vector<std::string>& choices) const;
};

struct DataOption {
    std::string key;
    std::string help;  ///< one sentence
};

/// A readable data format.
struct DataKind {
    std::string key;    ///< "csv"
    std::string label;  ///< "Table (CSV)"
    std::vector<DataOption> options;
};

/// All kinds, each with its options.
const std::vector<DataKind>& dataKinds();

/// Throws: Error(InvalidInput) for a malformed specification or options that the kind does not
/// take, Error(Unsupported) for an unknown kind, listing the kinds.
DataSpec parseDataSpec(std::string_view text, const FileResolver& resolver = {});

/// The path in a specification; nothing else is checked.
std::string pathIn(std::string_view specification);

/// Whether unusable samples are dropped (invalid=drop); else they are an error.
bool dropsInvalid(const DataSpec& spec);

/// The text that parseDataSpec() reads.
std::string formatDataSpec(const DataSpec& spec);

}  // namespace temper
