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

/// An entry of a log: the settings of its run, or an event.
using LogEntry = std::variant<RunSettings, RunEvent>;

/// Lines: one JSON object each. Compact: a mark, then records, each a length followed by that many
/// bytes; a step is packed (StepPacking), any other entry is its line of JSON.
enum class LogForm { Lines, Compact };

/// Chosen by the name: .tlog is the compact form, all others are lines.
LogForm logFormOf(const std::filesystem::path& path);

/// Encodes entries as the bytes of a log, in order.
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

/// Reads the entries of a log of either form, one after the other.
class LogReader {
public:
    /// The content has to outlive the reader.
    explicit LogReader(std::string_view content);

    LogForm form() const { return form_; }
    /// The next entry; nothing at the end, or if the last entry is cut off.
    /// Throws: Error(InvalidInput) saying what is wrong with it.
    std::optional<LogEntry> next();
    /// The bytes of the entry that next() returned last, including its end.
    std::string_view bytes() const { return bytes_; }
    /// The place of that entry, for messages: "line 3", "record 3".
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
