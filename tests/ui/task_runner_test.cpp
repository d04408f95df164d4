// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <thread>

#include "engine/core/file.h"
#include "ui/tasks/task_runner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr std::chrono::milliseconds kBriefly{1};

int runUntilStopped(TaskRunner& tasks) {
    return tasks.run(
        "Waiting", {},
        [](const std::stop_token& stop) {
            while (!stop.stop_requested()) std::this_thread::sleep_for(kBriefly);
            return true;
        },
        [](bool) {}, {});
}

int runWrite(TaskRunner& tasks, const QString& path) {
    return tasks.run(
        "Writing", {},
        [file = path.toStdString()](const std::stop_token&) {
            writeFileAtomically(file, "written");
            return true;
        },
        [](bool) {}, {});
}

}  // namespace

/// The end of a TaskRunner, with jobs that run or wait.
class TaskRunnerTest : public QObject {
    Q_OBJECT

private slots:
    void whatMustFinishIsDoneThoughItWaits() {
        const QTemporaryDir folder;
        {
            TaskRunner tasks(nullptr, 1);
            runUntilStopped(tasks);
            runWrite(tasks, folder.filePath("other"));
            for (const char* name : {"first", "second"})
                tasks.mustFinish(runWrite(tasks, folder.filePath(name)));
        }
        QVERIFY(QFile::exists(folder.filePath("first")));
        QVERIFY(QFile::exists(folder.filePath("second")));
        QVERIFY(!QFile::exists(folder.filePath("other")));
    }

    void whatMustFinishIsNotStopped() {
        std::atomic<bool> hasBegun = false, mayEnd = false, wasStopped = false;
        std::thread ender;
        {
            TaskRunner tasks(nullptr, 1);
            tasks.mustFinish(tasks.run(
                "Writing", {},
                [&](const std::stop_token& stop) {
                    hasBegun = true;
                    while (!mayEnd) std::this_thread::sleep_for(kBriefly);
                    wasStopped = stop.stop_requested();
                    return true;
                },
                [](bool) {}, {}));
            while (!hasBegun) std::this_thread::sleep_for(kBriefly);
            ender = std::thread([&mayEnd] {
                std::this_thread::sleep_for(50 * kBriefly);  // by then the runner is ending
                mayEnd = true;
            });
        }
        ender.join();
        QVERIFY(!wasStopped);
    }

    void whatIsCancelledIsNotDone() {
        const QTemporaryDir folder;
        {
            TaskRunner tasks(nullptr, 1);
            runUntilStopped(tasks);
            tasks.cancel(tasks.mustFinish(runWrite(tasks, folder.filePath("cancelled"))));
        }
        QVERIFY(!QFile::exists(folder.filePath("cancelled")));
    }
};

QTEST_GUILESS_MAIN(TaskRunnerTest)
#include "task_runner_test.moc"
