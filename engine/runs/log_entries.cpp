// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/log_entries.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/runs/step_line.h"

namespace temper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kCompactMark = "temper run log 1\n";
constexpr char kLineRecord = 'J', kStepRecord = 'S';
constexpr size_t kMaxLengthBytes = 5;  // of seven bits each

Json toJson(const LabelledValues& values) {
    Json json = Json::object();
    for (const auto& [label, value] : values) json[label] = value;
    return json;
}

std::string toJsonLine(const RunSettings& settings) {
    const Json json{{"event", "settings"},
                    {"time", 0.0},
                    {"title", settings.title},
                    {"command", settings.command},
                    {"choices", toJson(settings.choices)},
                    {"environment", toJson(settings.environment)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string toLine(const LogEntry& entry) {
    return std::visit([](const auto& content) { return toJsonLine(content); }, entry);
}

LabelledValues labelledValues(const Json& settings, const char* key) {
    LabelledValues values;
    if (!settings.contains(key) || !settings[key].is_object()) return values;
    for (const auto& item : settings[key].items()) {
        if (item.value().is_string()) values.emplace_back(item.key(), item.value());
    }
    return values;
}

std::string textOf(const Json& settings, const char* key) {
    return settings.contains(key) && settings[key].is_string() ? settings[key].get<std::string>()
                                                               : std::string();
}

/// The settings, if the line holds them.
std::optional<RunSettings> settingsFromJsonLine(std::string_view line) {
    if (line.find("\"settings\"") == std::string_view::npos) return std::nullopt;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || textOf(json, "event") != "settings") return std::nullopt;
    return RunSettings{textOf(json, "title"), textOf(json, "command"),
                       labelledValues(json, "choices"), labelledValues(json, "environment")};
}

LogEntry entryFromLine(std::string_view line) {
    if (auto step = stepFromPlainLine(line)) return std::move(*step);
    if (auto settings = settingsFromJsonLine(line)) return std::move(*settings);
    return runEventFromJsonLine(line);
}

std::string recordOf(char kind, const std::string& content) {
    std::string record;
    uint64_t length = content.size() + 1;
    for (; length >= 0x80; length >>= 7)
        record.push_back(static_cast<char>((length & 0x7f) | 0x80));
    record.push_back(static_cast<char>(length));
    record.push_back(kind);
    return record + content;
}

/// Takes the next record off `rest`. Returns: the bytes after its length; nothing if the rest is
/// not a whole record.
std::optional<std::string_view> takeRecord(std::string_view& rest) {
    uint64_t length = 0;
    for (size_t i = 0; i < rest.size() && i < kMaxLengthBytes; ++i) {
        const auto part = static_cast<uint8_t>(rest[i]);
        length |= static_cast<uint64_t>(part & 0x7f) << (7 * i);
        if (part >= 0x80) continue;
        if (length > rest.size() - i - 1) return std::nullopt;
        const std::string_view content = rest.substr(i + 1, length);
        rest.remove_prefix(i + 1 + length);
        return content;
    }
    return std::nullopt;
}

[[noreturn]] void throwUnknownRecord() {
    throw Error(ErrorCode::InvalidInput, "The record is of an unknown kind.",
                "The log is damaged or was written by a newer Temper.");
}

}  // namespace

LogForm logFormOf(const std::filesystem::path& path) {
    return path.extension() == ".tlog" ? LogForm::Compact : LogForm::Lines;
}

std::string_view LogEncoder::start() const {
    return form_ == LogForm::Compact ? kCompactMark : std::string_view();
}

std::string LogEncoder::encode(const LogEntry& entry) {
    if (form_ == LogForm::Lines) return toLine(entry) + '\n';
    const RunEvent* event = std::get_if<RunEvent>(&entry);
    const StepEvent* step = event != nullptr ? std::get_if<StepEvent>(&event->fact) : nullptr;
    if (step != nullptr) return recordOf(kStepRecord, steps_.pack(event->time, *step));
    return recordOf(kLineRecord, toLine(entry));
}

LogReader::LogReader(std::string_view content) : rest_(content) {
    if (!content.starts_with(kCompactMark)) return;
    form_ = LogForm::Compact;
    rest_.remove_prefix(kCompactMark.size());
}

std::optional<LogEntry> LogReader::next() {
    return form_ == LogForm::Compact ? nextRecord() : nextLine();
}

std::optional<LogEntry> LogReader::nextLine() {
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    ++number_;
    bytes_ = rest_.substr(0, end + 1);
    rest_.remove_prefix(end + 1);
    return entryFromLine(bytes_.substr(0, end));
}

std::optional<LogEntry> LogReader::nextRecord() {
    const std::string_view before = rest_;
    const std::optional<std::string_view> record = takeRecord(rest_);
    if (!record) return std::nullopt;
    ++number_;
    bytes_ = before.substr(0, before.size() - rest_.size());
    if (record->starts_with(kStepRecord)) return steps_.unpack(record->substr(1));
    if (record->starts_with(kLineRecord)) return entryFromLine(record->substr(1));
    throwUnknownRecord();
}

std::string LogReader::place() const {
    return (form_ == LogForm::Compact ? "record " : "line ") + std::to_string(number_);
}

}  // namespace temper
