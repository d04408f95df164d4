// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/gui_monitor.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace temper::ui {
namespace {

constexpr std::chrono::milliseconds kBeatInterval{2};

}  // namespace

GuiMonitor::GuiMonitor(QObject* parent)
    : QObject(parent), threadId_(gettid()), thread_([this] { loop(); }) {}

GuiMonitor::~GuiMonitor() {
    quit_ = true;
    thread_.join();
}

void GuiMonitor::restart() {
    ++generation_;
    longestMs_ = longestWallMs_ = 0;
    beats_ = 0;
}

void GuiMonitor::loop() {
    while (!quit_) {
        std::this_thread::sleep_for(kBeatInterval);
        if (!answered_.exchange(false)) continue;
        QMetaObject::invokeMethod(
            this,
            [this, generation = generation_.load(), posted = Clock::now(),
             queued = waitedForCoreNs()] { beat(generation, posted, queued); },
            Qt::QueuedConnection);
    }
}

void GuiMonitor::beat(int generation, Clock::time_point posted, int64_t queuedNs) {
    answered_ = true;
    if (generation != generation_) return;
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const double wall = Milliseconds(Clock::now() - posted).count();
    const double withoutCore = static_cast<double>(waitedForCoreNs() - queuedNs) / 1e6;
    longestWallMs_ = std::max(longestWallMs_, wall);
    longestMs_ = std::max(longestMs_, wall - withoutCore);
    ++beats_;
}

int64_t GuiMonitor::waitedForCoreNs() const {
    // Time on a core, time waiting for one, number of time slices.
    std::ifstream file("/proc/self/task/" + std::to_string(threadId_) + "/schedstat");
    int64_t running = 0, waiting = 0;
    file >> running >> waiting;
    return file ? waiting : 0;
}

}  // namespace temper::ui
