// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace temper {

/// An open SQLite file. SQLite's errors become Error(Io) that names the file.
class Database {
public:
    /// `content`: what the file holds, for messages.
    Database(const std::filesystem::path& path, std::string content);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// One or more statements without a result.
    void execute(const char* sql) const;
    /// Lets one program write while others read. Throws: Error(Io) if others keep it busy.
    void useWriteAheadLog() const;
    int64_t lastId() const { return sqlite3_last_insert_rowid(handle_); }
    int changes() const { return sqlite3_changes(handle_); }
    [[noreturn]] void fail() const;

private:
    friend class Statement;
    std::string name_;  ///< for messages
    sqlite3* handle_ = nullptr;
};

/// Changes made during its life take effect together at commit(), or not at all.
class Transaction {
public:
    explicit Transaction(const Database& database);
    ~Transaction();
    void commit();

private:
    const Database& database_;
    bool isOpen_ = true;
};

/// A prepared statement; parameters are numbered from 1, columns from 0.
class Statement {
public:
    Statement(const Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int parameter, int64_t value);
    void bind(int parameter, double value);
    void bind(int parameter, std::string_view value);
    void bind(int parameter, std::span<const float> values);

    /// Steps to the next row; false if there is none.
    bool next();
    /// Resets it for the next set of parameters.
    void reset();

    int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
    double number(int column) const;
    std::string text(int column) const;
    std::span<const float> floats(int column) const;

private:
    const Database& database_;
    sqlite3_stmt* handle_ = nullptr;
};

}  // namespace temper
