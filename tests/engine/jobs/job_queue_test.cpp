// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <thread>

#include "engine/core/file.h"
#include "engine/jobs/job_process.h"
#include "engine/jobs/job_queue.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"

namespace temper::test {

namespace fs = std::filesystem;

/// What the queue does with processes that fail. Shells stand in for the program.
class JobQueueTest : public QObject {
    Q_OBJECT

private slots:
    /// It is started three times; what it printed last stays.
    void aJobThatFailsAgainAndAgainIsGivenUp() {
        const QTemporaryDir dir;
        const fs::path root = dir.path().toStdString();
        const JobFolder folder(root / "jobs");
        std::atomic<int> starts = 0;
        JobQueue queue(folder, [&](int64_t job) {
            const std::string text = "echo start " + std::to_string(++starts) + "; exit 1";
            return startDetached({"/bin/sh", "-c", text}, folder.outputOf(job));
        });
        writeProject({findLesson("xor").spec, {}}, root / "a");
        std::thread thread([&queue] { queue.run(); });
        const int64_t id = queue.add({fs::canonical(root / "a")}).job.id;
        QTRY_VERIFY_WITH_TIMEOUT(queue.status(id).job.isOver, 60'000);
        QTest::qWait(500);  // several looks at what could be begun
        queue.stop();
        thread.join();
        QCOMPARE(starts.load(), 3);
        QCOMPARE(QByteArray::fromStdString(readFile(folder.outputOf(id))), "start 3\n");
        const Job job = queue.status(id).job;
        QVERIFY2(job.problem.find("3 times in a row") != std::string::npos, job.problem.c_str());
        QVERIFY2(job.hint.find(folder.outputOf(id).string()) != std::string::npos,
                 job.hint.c_str());
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::JobQueueTest)
#include "job_queue_test.moc"
