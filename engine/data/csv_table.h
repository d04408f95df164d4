// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

struct CsvFormat {
    char separator = ',';
    /// Whether the first row names the columns; unset: it does if it holds a text.
    std::optional<bool> hasHeader;
};

/// The fields of a table as text, row by row, each row with the line where it begins.
class CsvTable {
public:
    /// Quoted fields may hold separators and line breaks; blank lines are skipped; spaces around
    /// unquoted fields are dropped. If the separator is a semicolon, numbers may have a decimal
    /// comma. Columns without a header are called "column1", ... Throws: Error(InvalidInput) naming
    /// file and line: rows of different lengths, stray quotes, duplicate column names, no rows.
    static CsvTable parse(std::span<const std::byte> bytes, const std::string& name,
                          const CsvFormat& format);

    /// From fields that another reader parsed: `columns.size()` of them for each of `lines`.
    static CsvTable fromFields(std::string name, std::vector<std::string> columns,
                               const std::vector<std::string>& fields, std::vector<int64_t> lines);

    const std::string& name() const { return name_; }
    size_t rows() const { return lines_.size(); }
    const std::vector<std::string>& columns() const { return columns_; }
    std::optional<size_t> findColumn(std::string_view name) const;

    /// Whether the first row was taken for names because of a text, but also holds numbers, which
    /// only samples usually do.
    bool hasDoubtfulHeader() const { return hasDoubtfulHeader_; }

    std::string_view field(size_t row, size_t column) const;
    int64_t line(size_t row) const { return lines_[row]; }
    /// "line 7, column 'age'"
    std::string place(size_t row, size_t column) const;

private:
    friend class CsvParser;
    void sortNames();

    std::string name_;
    std::vector<std::string> columns_;
    std::vector<size_t> byName_;  ///< the columns, sorted by name
    std::string text_;            // all fields, one after the other
    std::vector<size_t> begins_;  // start of each field in text_, and the end of the last one
    std::vector<int64_t> lines_;
    bool hasDoubtfulHeader_ = false;
};

/// A field that means "no value": empty, NA, N/A, NaN, null or ?.
bool isMissing(std::string_view field);

/// The whole field as a number; nullopt if it is not one.
std::optional<double> parseNumber(std::string_view field);

}  // namespace temper
