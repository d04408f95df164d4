// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/runs/run_record.h"
#include "engine/runs/step_packing.h"

namespace temper {

/// What a log consists of: the settings of its run, and the events.
using LogEntry = std::variant<RunSettings, RunEvent>;

/// Lines: a JSON object each. Compact: a mark, then records, each its length and so many bytes; a
/// step is packed (StepPacking), anything else is its line of JSON.
enum class LogForm { Lines, Compact };

/// By the name: .tlog for the compact form, else lines.
LogForm logFormOf(const std::filesystem::path& path);

/// Entries as bytes of a log, in their order.
class LogEncoder {
public:
    explicit LogEncoder(LogForm form) : form_(form) {}

    LogForm form() const { return form_; }
    /// What a log begins with.
    std::string_view start() const;
    std::string encode(const LogEntry& entry);

private:
    LogForm form_;
    StepPacking steps_;
};

/// The entries of a log of either form, one after the other.
class LogReader {
public:
    /// The content has to outlive the reader.
    explicit LogReader(std::string_view content);

    LogForm form() const { return form_; }
    /// The next one; nothing at the end, and where the last was cut off.
    /// Throws: Error(InvalidInput) saying what is wrong with it.
    std::optional<LogEntry> next();
    /// The bytes of the one that next() gave last, with its end.
    std::string_view bytes() const { return bytes_; }
    /// Of it, for messages: "line 3", "record 3".
    std::string place() const;
    bool foundNothing() const { return number_ == 0; }

private:
    std::optional<LogEntry> nextLine();
    std::optional<LogEntry> nextRecord();

    std::string_view rest_;
    std::string_view bytes_;
    LogForm form_ = LogForm::Lines;
    size_t number_ = 0;
    StepPacking steps_;
};

}  // namespace temper
