// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_lock.h"

namespace temper {
namespace {

[[noreturn]] void throwUnwritable(const std::filesystem::path& path, const std::string& hint) {
    throw Error(ErrorCode::Io,
                "The log '" + path.string() + "' can't be written: " + std::strerror(errno) + ".",
                hint);
}

/// Closes the file, which another process has locked.
[[noreturn]] void throwInUse(const std::filesystem::path& path, int descriptor) {
    const std::string holder = lockHolder(descriptor);
    ::close(descriptor);
    throw Error(ErrorCode::State,
                "The log '" + path.string() + "' is in use: " + holder + " writes to it.",
                "Wait until it has finished, or choose another file.");
}

/// What a run writes to a replaced log would be lost with it.
void requireNotInUse(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return;
    if (!tryLock(descriptor)) throwInUse(path, descriptor);
    ::close(descriptor);
}

constexpr size_t kMaxWaiting = 16 << 20;  // bytes

[[noreturn]] void throwAt(Error& error, const std::filesystem::path& path,
                          const LogReader& reader) {
    error.addContext("run log '" + path.string() + "', " + reader.place());
    throw error;
}

[[noreturn]] void throwEmpty(const std::filesystem::path& path) {
    throw Error(ErrorCode::InvalidInput, "The run log '" + path.string() + "' has no events.",
                "Specify a log written by `temper train --log`.");
}

bool isUpTo(int64_t step, const LogEntry& entry) {
    const RunEvent* event = std::get_if<RunEvent>(&entry);
    return event == nullptr || stepOf(*event) <= step;
}

/// Calls `take(entry, reader)` for each entry of a log. Returns: whether there is one.
/// Throws: Error naming file and place.
template <typename F>
bool forEachEntry(const std::string& content, const std::filesystem::path& path, F&& take) {
    LogReader reader(content);
    try {
        while (auto entry = reader.next()) take(std::move(*entry), reader);
    } catch (Error& error) {
        throwAt(error, path, reader);
    }
    return !reader.foundNothing();
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& path) : path_(path), encoder_(logFormOf(path)) {
    open(false);
    waiting_ = encoder_.start();
}

RunLog::RunLog(const std::filesystem::path& path, const LogEncoder& encoder)
    : path_(path), encoder_(encoder) {
    open(true);
}

std::unique_ptr<RunLog> RunLog::continued(const std::filesystem::path& path, int64_t step) {
    if (!std::filesystem::exists(path)) return std::make_unique<RunLog>(path);
    const std::string content = readFile(path);
    LogEncoder encoder(LogReader(content).form());
    std::string kept(encoder.start());
    forEachEntry(content, path, [&](LogEntry entry, const LogReader& reader) {
        if (!isUpTo(step, entry)) return;
        // A line stays as it is; a packed step depends on the one before it.
        kept +=
            encoder.form() == LogForm::Lines ? std::string(reader.bytes()) : encoder.encode(entry);
    });
    writeFileAtomically(path, kept);
    return std::unique_ptr<RunLog>(new RunLog(path, encoder));
}

/// Empties a file only once it holds the lock. A pipe that nobody reads is not a log.
void RunLog::open(bool appends) {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (appends ? O_APPEND : 0);
    descriptor_ = ::open(path_.c_str(), flags, 0666);
    if (descriptor_ < 0) {
        throwUnwritable(path_, "Check that the folder exists and is writable.");
    }
    ::fcntl(descriptor_, F_SETFL, flags & ~O_NONBLOCK);
    struct stat info = {};
    if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (!tryLock(descriptor_)) throwInUse(path_, descriptor_);
    if (appends || ::ftruncate(descriptor_, 0) == 0) return;
    ::close(descriptor_);
    throwUnwritable(path_, "");
}

RunLog::~RunLog() { ::close(descriptor_); }

void RunLog::write(const RunSettings& settings) {
    waiting_ += encoder_.encode(settings);
    if (!writeWaiting()) throwUnwritable(path_, errno == ENOSPC ? "Free some space." : "");
}

void RunLog::write(const RunEvent& event) {
    waiting_ += encoder_.encode(event);
    const bool mustBeWritten =
        std::holds_alternative<EndEvent>(event.fact) || waiting_.size() > kMaxWaiting;
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
    const bool isThere = forEachEntry(readFile(path), path, [&](LogEntry entry, const LogReader&) {
        if (auto* settings = std::get_if<RunSettings>(&entry)) {
            record.settings = std::move(*settings);
        } else {
            record.add(std::get<RunEvent>(entry));
        }
    });
    if (!isThere) throwEmpty(path);
    return record;
}

std::vector<RunEvent> readRunEvents(const std::filesystem::path& path, int64_t step) {
    std::vector<RunEvent> events;
    forEachEntry(readFile(path), path, [&](LogEntry entry, const LogReader&) {
        auto* event = std::get_if<RunEvent>(&entry);
        if (event != nullptr && stepOf(*event) <= step) events.push_back(std::move(*event));
    });
    return events;
}

void copyRunLog(const std::filesystem::path& from, const std::filesystem::path& to) {
    requireNotInUse(to);
    LogEncoder encoder(logFormOf(to));
    std::string copy(encoder.start());
    const bool isThere = forEachEntry(readFile(from), from, [&](LogEntry entry, const LogReader&) {
        copy += encoder.encode(entry);
    });
    if (!isThere) throwEmpty(from);
    writeFileAtomically(to, copy);
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
