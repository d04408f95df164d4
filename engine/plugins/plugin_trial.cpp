// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_trial.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/core/error.h"

namespace temper {
namespace {

// What the child sends: the problem, kSeparator, the hint, and kEnd once it has finished.
constexpr char kSeparator = '\x1f';
constexpr char kEnd = '\0';

/// A crash should end the child silently: without the handlers of this program or of a sanitizer,
/// without a core dump, without a message on the terminal.
void dieQuietly() {
    for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGTERM})
        signal(crash, SIG_DFL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

std::string outcomeOf(const std::function<void()>& function) {
    try {
        function();
        return {};
    } catch (const Error& error) {
        return error.what() + (kSeparator + error.hint());
    } catch (const std::exception& error) {
        return std::string("It threw an exception: ") + error.what() + ".";
    } catch (...) {
        return "It threw something that is not an exception.";
    }
}

void sendAll(int pipe, const std::string& text) {
    size_t sent = 0;
    while (sent < text.size()) {
        const ssize_t count = write(pipe, text.data() + sent, text.size() - sent);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        sent += static_cast<size_t>(count);
    }
}

/// Reads the pipe until kEnd or until the other end is closed.
/// Returns: false if the time was over before.
bool receive(int pipe, std::chrono::milliseconds limit, std::string& text) {
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + limit;
    std::array<char, 4096> buffer{};
    while (text.empty() || text.back() != kEnd) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd waiting{pipe, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t count = ready < 0 ? 0 : read(pipe, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return true;
        text.append(buffer.data(), static_cast<size_t>(count));
    }
    return true;
}

int waitFor(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::string describeEnd(int status) {
    if (WIFSIGNALED(status))
        return "It crashed while being loaded (" + std::string(strsignal(WTERMSIG(status))) + ").";
    return "It terminated the program while being loaded (exit status " +
           std::to_string(WEXITSTATUS(status)) + ").";
}

Trial trialFrom(std::string text) {
    text.pop_back();  // kEnd
    const size_t separator = std::min(text.find(kSeparator), text.size());
    return {text.substr(0, separator), text.substr(std::min(separator + 1, text.size()))};
}

/// Waits for the child that writes to `pipe`.
Trial outcomeOf(pid_t child, int pipe, std::chrono::milliseconds limit) {
    const char* const kAdvice = "Remove it from the plugin folder, and tell its author.";
    std::string text;
    const bool ended = receive(pipe, limit, text);
    const bool isComplete = !text.empty() && text.back() == kEnd;
    // Another process of the plugin may still hold the pipe, so that only the timeout has ended it.
    if (!isComplete && !ended) kill(child, SIGKILL);
    const int status = waitFor(child);
    if (isComplete) return trialFrom(std::move(text));
    if (ended) return {describeEnd(status), kAdvice};
    return {"It took longer than " + std::to_string(limit.count()) + " ms to load.", kAdvice};
}

[[noreturn]] void refuse(const char* what, int reason) {
    throw Error(ErrorCode::Io, std::string(what) + " can't be created to try the plugin: " +
                                   std::strerror(reason) + ".");
}

}  // namespace

Trial tryInProcess(const std::function<void()>& function, std::chrono::milliseconds limit) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse("A pipe", errno);
    const pid_t child = fork();
    const int reason = errno;
    if (child == 0) {
        dieQuietly();
        sendAll(ends[1], outcomeOf(function) + kEnd);
        _exit(0);
    }
    close(ends[1]);
    Trial trial;
    if (child > 0) trial = outcomeOf(child, ends[0], limit);
    close(ends[0]);
    if (child < 0) refuse("A process", reason);
    return trial;
}

}  // namespace temper
