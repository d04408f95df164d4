// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/request_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "engine/core/error.h"

namespace temper {
namespace {

/// A line that is longer is no request.
constexpr size_t kLongestLine = 4096;  // bytes

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw Error(ErrorCode::Io,
                "The pipe '" + path.string() + "' can't be used: " + std::strerror(errno) + ".",
                "Check that its folder is writable, and on a file system with named pipes.");
}

/// Calls `take` with each whole line, and removes it.
template <typename F>
void takeLines(std::string& text, F&& take) {
    size_t end = 0;
    while ((end = text.find('\n')) != std::string::npos) {
        take(text.substr(0, end));
        text.erase(0, end + 1);
    }
    if (text.size() > kLongestLine) text.clear();
}

}  // namespace

RequestPipe::RequestPipe(std::filesystem::path path, std::function<void(const JobRequest&)> take)
    : path_(std::move(path)), take_(std::move(take)) {
    ::unlink(path_.c_str());
    if (::mkfifo(path_.c_str(), 0600) != 0) fail(path_);
    // Open for writing, too: otherwise the pipe ends with each sender.
    pipe_ = ::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (pipe_ < 0) fail(path_);
    end_ = ::eventfd(0, EFD_CLOEXEC);
    thread_ = std::jthread([this] { read(); });
}

RequestPipe::~RequestPipe() {
    ::unlink(path_.c_str());
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = ::write(end_, &one, sizeof one);
    thread_.join();
    ::close(pipe_);
    ::close(end_);
}

void RequestPipe::read() {
    std::array<pollfd, 2> sources{{{pipe_, POLLIN, 0}, {end_, POLLIN, 0}}};
    std::array<char, 4096> buffer{};
    std::string text;
    while (sources[1].revents == 0) {
        if (::poll(sources.data(), sources.size(), -1) < 0) continue;
        const ssize_t got = ::read(pipe_, buffer.data(), buffer.size());
        if (got <= 0) continue;
        text.append(buffer.data(), static_cast<size_t>(got));
        takeLines(text, [this](const std::string& line) {
            try {
                take_(jobRequestFromJson(line));
            } catch (const Error&) {  // whoever wrote it is not a server of this program
            }
        });
    }
}

bool sendRequest(const std::filesystem::path& path, const JobRequest& request) {
    const int pipe = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (pipe < 0 && (errno == ENXIO || errno == ENOENT)) return false;
    if (pipe < 0) fail(path);
    // Not longer than PIPE_BUF: written whole or not at all.
    const std::string line = toJson(request) + '\n';
    const ssize_t put = ::write(pipe, line.data(), line.size());
    const int error = errno;
    ::close(pipe);
    errno = error;
    if (put < 0 && errno != EPIPE) fail(path);
    return put > 0;
}

}  // namespace temper
