// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt_watcher.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace temper::cli {
namespace {

sigset_t watchedSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

}  // namespace

InterruptWatcher::InterruptWatcher(std::function<void()> onInterrupt)
    : onInterrupt_(std::move(onInterrupt)) {
    const sigset_t signals = watchedSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

InterruptWatcher::~InterruptWatcher() {
    thread_.request_stop();
    thread_.join();
    const sigset_t signals = watchedSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void InterruptWatcher::watch(const std::stop_token& stop) {
    constexpr timespec kPatience{.tv_sec = 0, .tv_nsec = 100'000'000};
    constexpr int kStatusOfInterrupted = 130;
    const sigset_t signals = watchedSignals();
    bool asked = false;
    while (!stop.stop_requested()) {
        if (sigtimedwait(&signals, nullptr, &kPatience) < 0) continue;
        if (asked) ::_exit(kStatusOfInterrupted);
        asked = true;
        onInterrupt_();
    }
}

}  // namespace temper::cli
