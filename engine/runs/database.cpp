// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/database.h"

#include <chrono>
#include <limits>
#include <thread>

#include "engine/core/error.h"

namespace temper {
namespace {

constexpr std::chrono::milliseconds kBusy{5000};
constexpr std::chrono::milliseconds kPause{2};

}  // namespace

Database::Database(const std::filesystem::path& path, std::string content)
    : name_(std::move(content) + " '" + path.string() + "'") {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        const std::string reason = sqlite3_errmsg(handle_);
        sqlite3_close(handle_);
        throw Error(ErrorCode::Io, name_ + " can't be opened: " + reason + ".",
                    "Check that the folder exists and is writable.");
    }
    sqlite3_busy_timeout(handle_, static_cast<int>(kBusy.count()));
}

Database::~Database() { sqlite3_close(handle_); }

void Database::execute(const char* sql) const {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::useWriteAheadLog() const {
    // SQLite does not wait by itself if several open a new file and switch it at the same time.
    const auto end = std::chrono::steady_clock::now() + kBusy;
    const char* sql = "PRAGMA journal_mode = WAL";
    while (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        if (sqlite3_errcode(handle_) != SQLITE_BUSY || std::chrono::steady_clock::now() > end)
            fail();
        std::this_thread::sleep_for(kPause);
    }
}

void Database::fail() const {
    const int code = sqlite3_errcode(handle_);
    const bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    throw Error(damaged ? ErrorCode::InvalidInput : ErrorCode::Io,
                name_ + ": " + sqlite3_errmsg(handle_) + ".",
                damaged               ? "Move the file away; logs and checkpoints stay as they are."
                : code == SQLITE_FULL ? "Free some space."
                                      : "");
}

Transaction::Transaction(const Database& database) : database_(database) {
    database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    if (!isOpen_) return;
    try {
        database_.execute("ROLLBACK");
    } catch (const Error&) {  // SQLite may already have rolled back
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    isOpen_ = false;
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
    if (sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &handle_,
                           nullptr) != SQLITE_OK) {
        database.fail();
    }
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::bind(int parameter, int64_t value) {
    if (sqlite3_bind_int64(handle_, parameter, value) != SQLITE_OK) database_.fail();
}

void Statement::bind(int parameter, double value) {
    if (sqlite3_bind_double(handle_, parameter, value) != SQLITE_OK) database_.fail();
}

void Statement::bind(int parameter, std::string_view value) {
    if (sqlite3_bind_text(handle_, parameter, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT) != SQLITE_OK) {
        database_.fail();
    }
}

void Statement::bind(int parameter, std::span<const float> values) {
    if (sqlite3_bind_blob(handle_, parameter, values.data(), static_cast<int>(values.size_bytes()),
                          SQLITE_TRANSIENT) != SQLITE_OK) {
        database_.fail();
    }
}

bool Statement::next() {
    const int result = sqlite3_step(handle_);
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) database_.fail();
    return false;
}

void Statement::reset() {
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
}

/// SQLite keeps NaN as NULL.
double Statement::number(int column) const {
    if (sqlite3_column_type(handle_, column) == SQLITE_NULL) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return bytes == nullptr
               ? std::string()
               : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(handle_, column)));
}

std::span<const float> Statement::floats(int column) const {
    const auto* values = static_cast<const float*>(sqlite3_column_blob(handle_, column));
    return {values, static_cast<size_t>(sqlite3_column_bytes(handle_, column)) / sizeof(float)};
}

}  // namespace temper
