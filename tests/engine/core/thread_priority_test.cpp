// SPDX-License-Identifier: Apache-2.0
#include "engine/core/thread_priority.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <stdexcept>
#include <thread>

using namespace temper;

namespace {

int niceness() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }

}  // namespace

class ThreadPriorityTest : public QObject {
    Q_OBJECT

private slots:
    void aThreadYieldsWithThoseThatItStartsAndNoOther() {
        const int before = niceness();
        int itself = -1, started = -1;
        std::thread([&] {
            yieldToInteraction();
            yieldToInteraction();
            itself = niceness();
            std::thread([&] { started = niceness(); }).join();
        }).join();
        QCOMPARE(itself, std::max(before, 5));
        QCOMPARE(started, itself);
        QCOMPARE(niceness(), before);
    }

    void workAtIdlePriorityLeavesTheCallerAsItWas() {
        const int before = sched_getscheduler(0);
        int during = -1;
        runAtIdlePriority([&] { during = sched_getscheduler(0); });
        QCOMPARE(during, SCHED_IDLE);
        QCOMPARE(sched_getscheduler(0), before);
        QVERIFY_THROWS_EXCEPTION(std::logic_error,
                                 runAtIdlePriority([] { throw std::logic_error("stopped"); }));
    }
};

QTEST_GUILESS_MAIN(ThreadPriorityTest)
#include "thread_priority_test.moc"
