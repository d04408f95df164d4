// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start_benchmark.h"

#include <time.h>
#include <unistd.h>

#include <QApplication>
#include <QEvent>
#include <QTimer>
#include <QWidget>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace temper {
namespace {

/// Since the system's start. Source: proc(5), field 22 of /proc/self/stat.
double processStartSeconds() {
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    std::istringstream fields(line.substr(line.rfind(')') + 1));  // after "pid (name)"
    std::string skipped;
    for (int i = 3; i < 22; ++i) fields >> skipped;
    double ticks = 0;
    fields >> ticks;
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double secondsSinceProcessStart() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
           processStartSeconds();
}

/// Waits for the first paint event; its drawing is on the screen when the event loop returns.
class FirstPaint : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint) {
            watched->removeEventFilter(this);
            QTimer::singleShot(0, this, [] {
                std::printf("cold start: %.0f ms\n", 1e3 * secondsSinceProcessStart());
                QApplication::quit();
            });
        }
        return QObject::eventFilter(watched, event);
    }
};

}  // namespace

void printColdStart(QWidget& window) { window.installEventFilter(new FirstPaint(&window)); }

}  // namespace temper
