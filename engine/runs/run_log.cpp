// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_lock.h"

namespace temper {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void throwUnwritable(const std::filesystem::path& path, const std::string& hint) {
    throw Error(ErrorCode::Io,
                "The log '" + path.string() + "' can't be written: " + std::strerror(errno) + ".",
                hint);
}

Json toJson(const LabelledValues& values) {
    Json json = Json::object();
    for (const auto& [label, value] : values) json[label] = value;
    return json;
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

/// The settings, where the line holds them.
std::optional<RunSettings> settingsFromJsonLine(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || textOf(json, "event") != "settings") return std::nullopt;
    return RunSettings{textOf(json, "title"), textOf(json, "command"),
                       labelledValues(json, "choices"), labelledValues(json, "environment")};
}

void readLine(std::string_view line, RunRecord& record) {
    if (auto settings = settingsFromJsonLine(line)) {
        record.settings = std::move(*settings);
    } else {
        record.add(runEventFromJsonLine(line));
    }
}

/// The lines that have an end, one by one: `take(line, number)`.
template <typename F>
size_t forEachLine(std::string_view content, F&& take) {
    size_t lineNumber = 0;
    for (size_t start = 0; start < content.size();) {
        const size_t end = content.find('\n', start);
        if (end == std::string_view::npos) break;
        take(content.substr(start, end - start), ++lineNumber);
        start = end + 1;
    }
    return lineNumber;
}

constexpr size_t kMostWaiting = 16 << 20;  // bytes

bool holdsSettings(std::string_view line) { return settingsFromJsonLine(line).has_value(); }

/// The lines up to `step`, each with its end.
std::string linesUpTo(const std::string& content, int64_t step) {
    std::string kept;
    forEachLine(content, [&](std::string_view line, size_t) {
        if (!holdsSettings(line) && stepOf(runEventFromJsonLine(line)) > step) return;
        kept.append(line).push_back('\n');
    });
    return kept;
}

[[noreturn]] void throwAtLine(Error& error, const std::filesystem::path& path, size_t line) {
    error.addContext("run log '" + path.string() + "', line " + std::to_string(line));
    throw error;
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& path) : path_(path) { open(false); }

RunLog::RunLog(const std::filesystem::path& path, Append) : path_(path) { open(true); }

std::unique_ptr<RunLog> RunLog::continued(const std::filesystem::path& path, int64_t step) {
    if (!std::filesystem::exists(path)) return std::make_unique<RunLog>(path);
    writeFileAtomically(path, linesUpTo(readFile(path), step));
    return std::unique_ptr<RunLog>(new RunLog(path, Append{}));
}

/// A file is this log's alone, and emptied only then. A pipe that nobody reads is no log.
void RunLog::open(bool appends) {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (appends ? O_APPEND : 0);
    descriptor_ = ::open(path_.c_str(), flags, 0666);
    if (descriptor_ < 0) {
        throwUnwritable(path_, "Check that the folder exists and that you may write to it.");
    }
    ::fcntl(descriptor_, F_SETFL, flags & ~O_NONBLOCK);
    struct stat info = {};
    if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (!tryLock(descriptor_)) throwInUse();
    if (appends || ::ftruncate(descriptor_, 0) == 0) return;
    ::close(descriptor_);
    throwUnwritable(path_, "");
}

void RunLog::throwInUse() const {
    const std::string holder = lockHolder(descriptor_);
    ::close(descriptor_);
    throw Error(ErrorCode::State,
                "The log '" + path_.string() + "' is in use: " + holder + " writes to it.",
                "Wait for it to end, or name another file.");
}

RunLog::~RunLog() { ::close(descriptor_); }

void RunLog::write(const RunSettings& settings) {
    const Json json{{"event", "settings"},
                    {"time", 0.0},
                    {"title", settings.title},
                    {"command", settings.command},
                    {"choices", toJson(settings.choices)},
                    {"environment", toJson(settings.environment)}};
    waiting_ += json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    if (!writeWaiting()) throwUnwritable(path_, errno == ENOSPC ? "Free some space." : "");
}

void RunLog::write(const RunEvent& event) {
    waiting_ += toJsonLine(event) + '\n';
    const bool mustBeWritten =
        std::holds_alternative<EndEvent>(event.fact) || waiting_.size() > kMostWaiting;
    if (!writeWaiting() && mustBeWritten)
        throwUnwritable(path_, errno == ENOSPC ? "Free some space." : "");
    if (std::holds_alternative<CheckpointEvent>(event.fact)) ::fdatasync(descriptor_);
}

bool RunLog::writeWaiting() {
    while (!waiting_.empty()) {
        const ssize_t put = ::write(descriptor_, waiting_.data(), waiting_.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        waiting_.erase(0, static_cast<size_t>(put));
    }
    return true;
}

RunRecord readRunLog(const std::filesystem::path& path) {
    RunRecord record;
    const size_t lines = forEachLine(readFile(path), [&](std::string_view line, size_t number) {
        try {
            readLine(line, record);
        } catch (Error& error) {
            throwAtLine(error, path, number);
        }
    });
    if (lines == 0) {
        throw Error(ErrorCode::InvalidInput, "The run log '" + path.string() + "' has no events.",
                    "Name a log that `temper train --log` wrote.");
    }
    return record;
}

std::vector<RunEvent> readRunEvents(const std::filesystem::path& path, int64_t step) {
    std::vector<RunEvent> events;
    forEachLine(readFile(path), [&](std::string_view line, size_t number) {
        try {
            if (holdsSettings(line)) return;
            RunEvent event = runEventFromJsonLine(line);
            if (stepOf(event) <= step) events.push_back(std::move(event));
        } catch (Error& error) {
            throwAtLine(error, path, number);
        }
    });
    return events;
}

int64_t stepOf(const RunEvent& event) {
    return std::visit(
        [](const auto& fact) {
            if constexpr (std::is_same_v<std::decay_t<decltype(fact)>, StartedEvent>) {
                return fact.firstStep;
            } else {
                return fact.step;
            }
        },
        event.fact);
}

}  // namespace temper
