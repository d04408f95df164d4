// SPDX-License-Identifier: Apache-2.0
#include "engine/core/process_memory.h"

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
};

QTEST_GUILESS_MAIN(ProcessMemoryTest)
#include "process_memory_test.moc"
