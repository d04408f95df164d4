// SPDX-License-Identifier: Apache-2.0
#include "engine/core/process_memory.h"

#include <sys/resource.h>

#include <QTest>
#include <cstring>
#include <vector>

using namespace temper;

class ProcessMemoryTest : public QObject {
    Q_OBJECT

private slots:
    void memoryThatIsWrittenCounts() {
        constexpr size_t kBytes = 64 << 20;
        const size_t before = residentBytes();
        QVERIFY(before > (1 << 20));
        std::vector<char> block(kBytes);
        std::memset(block.data(), 1, block.size());
        const size_t after = residentBytes();
        QVERIFY(after >= before + kBytes / 2 && after < before + 2 * kBytes);
        QCOMPARE(block[kBytes - 1], char{1});
    }

    void theLimitIsTheLeastOfAll() {
        const size_t machine = memoryLimit();
        QVERIFY(machine >= residentBytes());
        rlimit before = {};
        QCOMPARE(getrlimit(RLIMIT_AS, &before), 0);
        rlimit limit = before;
        limit.rlim_cur = std::min<rlim_t>(before.rlim_max, rlim_t{1} << 45);
        QCOMPARE(setrlimit(RLIMIT_AS, &limit), 0);  // more than the machine has: nothing changes
        QCOMPARE(memoryLimit(), machine);
        limit.rlim_cur = machine - 1;
        QCOMPARE(setrlimit(RLIMIT_AS, &limit), 0);
        const size_t limited = memoryLimit();
        QCOMPARE(setrlimit(RLIMIT_AS, &before), 0);
        QCOMPARE(limited, machine - 1);
    }
};

QTEST_GUILESS_MAIN(ProcessMemoryTest)
#include "process_memory_test.moc"
