// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/gui_monitor.h"

#include <unistd.h>

#include <QCoreApplication>
#include <QEvent>
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
        postedGeneration_ = generation_.load();
        queuedNs_ = waitedForCoreNs();
        posted_ = Clock::now();
        QCoreApplication::postEvent(this, new QEvent(QEvent::User));
    }
}

void GuiMonitor::customEvent(QEvent*) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const double wall = Milliseconds(Clock::now() - posted_.load()).count();
    const double withoutCore = static_cast<double>(waitedForCoreNs() - queuedNs_) / 1e6;
    if (postedGeneration_ == generation_) {
        longestWallMs_ = std::max(longestWallMs_, wall);
        longestMs_ = std::max(longestMs_, wall - withoutCore);
        ++beats_;
    }
    answered_ = true;
}

int64_t GuiMonitor::waitedForCoreNs() const {
    // Time on a core, time waiting for one, number of time slices.
    std::ifstream file("/proc/self/task/" + std::to_string(threadId_) + "/schedstat");
    int64_t running = 0, waiting = 0;
    file >> running >> waiting;
    return file ? waiting : 0;
}

}  // namespace temper::ui
