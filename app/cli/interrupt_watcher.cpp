// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt_watcher.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace temper::cli {
namespace {

constexpr int kStatusOfInterrupted = 130;

// Used by the handler, which may run on any thread: those created before the watcher can't be made
// to block signals.
std::atomic<int> eventDescriptor{-1};
std::atomic<bool> isInterrupted{false};

void wake() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = ::write(eventDescriptor, &one, sizeof one);
}

void onSignal(int) {
    if (isInterrupted.exchange(true)) ::_exit(kStatusOfInterrupted);
    const int errorBefore = errno;
    wake();
    errno = errorBefore;
}

}  // namespace

InterruptWatcher::InterruptWatcher(std::function<void()> onInterrupt)
    : onInterrupt_(std::move(onInterrupt)) {
    isInterrupted = false;
    eventDescriptor = ::eventfd(0, EFD_CLOEXEC);
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
    thread_ = std::jthread([this] { watch(); });
}

InterruptWatcher::~InterruptWatcher() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    wake();
    thread_.join();
    ::close(eventDescriptor.exchange(-1));
}

void InterruptWatcher::watch() const {
    uint64_t count = 0;
    while (::read(eventDescriptor, &count, sizeof count) < 0 && errno == EINTR) {
    }
    if (isInterrupted) onInterrupt_();
}

}  // namespace temper::cli
