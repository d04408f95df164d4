// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "engine/core/error.h"
#include "engine/runs/log_entries.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{20};

[[noreturn]] void fail(const fs::path& log) {
    throw Error(ErrorCode::Io,
                "The log '" + log.string() + "' can't be read: " + std::strerror(errno) + ".");
}

class OpenLog {
public:
    /// Of a log that is not there, isThere() is false. Throws: Error(Io).
    explicit OpenLog(const fs::path& path)
        : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (descriptor_ < 0 && errno != ENOENT) fail(path_);
    }
    ~OpenLog() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenLog(const OpenLog&) = delete;
    OpenLog& operator=(const OpenLog&) = delete;

    bool isThere() const { return descriptor_ >= 0; }

    /// A file system may give the number of a removed file to a new one, but not its time of birth.
    std::string generation() const {
        struct statx info = {};
        if (::statx(descriptor_, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &info) != 0)
            fail(path_);
        return std::to_string(info.stx_ino) + '-' + std::to_string(info.stx_btime.tv_sec) + '-' +
               std::to_string(info.stx_btime.tv_nsec);
    }
    int64_t size() const {
        struct stat info = {};
        if (::fstat(descriptor_, &info) != 0) fail(path_);
        return info.st_size;
    }
    std::string read(int64_t begin, int64_t count) const {
        std::string bytes(static_cast<size_t>(count), '\0');
        size_t got = 0;
        while (got < bytes.size()) {
            const ssize_t more = ::pread(descriptor_, bytes.data() + got, bytes.size() - got,
                                         begin + static_cast<int64_t>(got));
            if (more < 0 && errno == EINTR) continue;
            if (more < 0) fail(path_);
            if (more == 0) break;
            got += static_cast<size_t>(more);
        }
        bytes.resize(got);
        return bytes;
    }

private:
    const fs::path& path_;
    int descriptor_;
};

LogPiece readNow(const fs::path& path, const std::string& generation, int64_t begin) {
    const OpenLog log(path);
    if (!log.isThere()) return {generation, begin, {}};
    LogPiece piece{log.generation(), begin, {}};
    const int64_t size = log.size();
    if (piece.generation != generation || begin < 0 || begin > size) piece.begin = 0;
    piece.bytes = log.read(piece.begin, std::min(size - piece.begin, kLongestPiece));
    return piece;
}

}  // namespace

LogPiece readLogPiece(const fs::path& log, const std::string& generation, int64_t begin,
                      std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (true) {
        LogPiece piece = readNow(log, generation, begin);
        const bool isNew = !piece.bytes.empty() || piece.generation != generation;
        if (isNew || std::chrono::steady_clock::now() >= end) return piece;
        std::this_thread::sleep_for(kPause);
    }
}

bool isPausedNow(const fs::path& path) {
    constexpr int64_t kTail = 64 << 10;  // bytes; enough for some events
    const OpenLog log(path);
    if (!log.isThere()) return false;
    const int64_t begin = std::max(log.size() - kTail, int64_t{0});
    const std::string tail = log.read(begin, kTail);
    LogReader reader(begin == 0 ? std::string_view(tail)
                                : std::string_view(tail).substr(tail.find('\n') + 1));
    bool isPaused = false;
    while (const auto entry = reader.next()) {
        const auto* event = std::get_if<RunEvent>(&*entry);
        if (event == nullptr) continue;
        // A single step leaves it paused.
        const RunFact& fact = event->fact;
        if (std::holds_alternative<PausedEvent>(fact)) isPaused = true;
        if (std::holds_alternative<ResumedEvent>(fact) ||
            std::holds_alternative<StartedEvent>(fact) || std::holds_alternative<EndEvent>(fact))
            isPaused = false;
    }
    return isPaused;
}

LogFollower::News LogFollower::take(const LogPiece& piece) {
    News news;
    if (piece.generation != generation_ || piece.begin != position_) {
        news.startsOver = position_ > 0;
        generation_ = piece.generation;
        position_ = 0;
        rest_.clear();
        if (piece.begin != 0) return news;
    }
    position_ += static_cast<int64_t>(piece.bytes.size());
    rest_ += piece.bytes;
    LogReader reader(rest_);
    size_t taken = 0;
    while (auto entry = reader.next()) {
        taken += reader.bytes().size();
        if (auto* event = std::get_if<RunEvent>(&*entry)) news.events.push_back(std::move(*event));
    }
    rest_.erase(0, taken);
    return news;
}

}  // namespace temper
