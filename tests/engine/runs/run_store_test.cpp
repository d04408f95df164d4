// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <barrier>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_store.h"
#include "engine/runs/run_tags.h"

namespace temper::test {

namespace fs = std::filesystem;

StoredRun sampleRun(int number) {
    StoredRun run;
    run.name = "run " + std::to_string(number);
    run.group = "baseline";
    run.folder = "runs/0001";
    run.spec = "{\"model\": \"ü.onnx\"}";
    run.status = RunStatus::Stopped;
    run.startedAt = 1.7e9 + number;
    run.seconds = 12.5;
    run.step = 40;
    run.totalSteps = 100;
    run.seed = -7;
    run.notes = "two\nlines";
    run.tags = {"ü", "small net"};
    run.metrics = {{"accuracy", 0.75, 40, 0.1, 10, 0.875, 30, 4, {0.1F, 0.5F, 0.875F, 0.75F}},
                   {"loss", 0.3, 40, 0.25, 35, 2, 1, 40, {2.0F, 1.0F}}};
    return run;
}

RunEvent stepEvent(int64_t step, double loss) {
    StepEvent event;
    event.step = step;
    event.loss = loss;
    return {static_cast<double>(step), event};
}

class RunStoreTest : public QObject {
    Q_OBJECT

private slots:
    void aRunThatEndedSinceItWasSeenIsNotInterrupted() {
        const fs::path project = file("since");
        fs::create_directories(project);
        RunStore store(runStorePath(project));
        StoredRun seen;
        {
            const auto journal = RunJournal::begin(project, {}, {});
            seen = store.run(1);
            QVERIFY(seen.status == RunStatus::Running);
            journal->write({12, EndEvent{RunOutcome::Finished, 10, 12, {}, {}, {}}});
        }
        markIfInterrupted(store, project, seen);
        QVERIFY(store.run(1).status == RunStatus::Finished);
    }

    /// A run that waits has a number and a name before it starts, and starts once.
    void aWaitingRunStartsOnce() {
        const fs::path project = file("waiting");
        fs::create_directories(project);
        RunStore store(runStorePath(project));
        StoredRun planned = sampleRun(3);
        planned.folder.clear();
        planned.startedAt = 0;
        planned.status = RunStatus::Waiting;
        planned = store.add(planned);
        markInterrupted(store, project);
        QVERIFY(store.run(1).status == RunStatus::Waiting);
        {
            const auto journal = RunJournal::begin(project, planned, {});
            QCOMPARE(journal->run().id, int64_t{1});
            QVERIFY(store.run(1).status == RunStatus::Running);
            QVERIFY(store.run(1).startedAt > 1.7e9);
            QCOMPARE(store.run(1).name, planned.name);
            QVERIFY_EXCEPTION_THROWN(RunJournal::begin(project, planned, {}), Error);
            journal->write({1, EndEvent{RunOutcome::Finished, 10, 12, {}, {}, {}}});
        }
        QVERIFY_EXCEPTION_THROWN(RunJournal::begin(project, planned, {}), Error);
        QVERIFY(store.run(1).status == RunStatus::Finished);
        QCOMPARE(store.runs().size(), size_t{1});
    }

    /// A window and a program that trains may be the first to open it at the same moment.
    void aNewHistoryIsOpenedByManyAtOnce() {
        constexpr int kHistories = 100;
        constexpr int kOpeners = 4;
        std::mutex mutex;
        std::vector<std::string> problems;
        for (int i = 0; i < kHistories; ++i) {
            const fs::path project = file(("new" + std::to_string(i)).c_str());
            fs::create_directories(project);
            std::barrier start(kOpeners);
            std::vector<std::jthread> openers;
            for (int k = 0; k < kOpeners; ++k) {
                openers.emplace_back([&] {
                    start.arrive_and_wait();
                    try {
                        RunStore(runStorePath(project)).add(StoredRun());
                    } catch (const Error& error) {
                        const std::lock_guard lock(mutex);
                        problems.emplace_back(error.what());
                    }
                });
            }
            openers.clear();
            QCOMPARE(RunStore(runStorePath(project)).runs().size(), kOpeners - problems.size());
            QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().c_str());
        }
    }

    /// Whoever reads the history while runs are added and removed reads all of it.
    void theHistoryIsReadWhileRunsComeAndGo() {
        constexpr int kRuns = 60;
        const fs::path project = file("meanwhile");
        fs::create_directories(project);
        RunStore store(runStorePath(project));
        std::jthread reader([&project](const std::stop_token& stop) {
            RunStore own(runStorePath(project));
            while (!stop.stop_requested()) markInterrupted(own, project);
        });
        for (int i = 0; i < kRuns; ++i) {
            StoredRun run = sampleRun(i);
            run.folder.clear();  // each run locks its own entry
            const auto journal = RunJournal::begin(project, run, {});
            journal->write({0, StartedEvent{}});
            EndEvent end;
            end.outcome = RunOutcome::Finished;
            journal->write({1, end});
        }
        reader.request_stop();
        reader.join();
        for (const StoredRun& run : store.runs()) QCOMPARE(run.status, RunStatus::Finished);
        QCOMPARE(store.runs().size(), size_t{kRuns});
    }

    void whatIsStoredComesBackAfterOpeningAgain() {
        const fs::path path = file("history.sqlite");
        StoredRun run = sampleRun(1);
        {
            RunStore store(path);
            run = store.add(run);
            QCOMPARE(run.id, int64_t{1});
            QCOMPARE(store.add(sampleRun(2)).id, int64_t{2});
        }
        const RunStore store(path);
        QCOMPARE(store.runs().size(), size_t{2});
        QCOMPARE(store.runs().front().name, std::string("run 2"));
        QVERIFY(store.run(1) == run);
    }

    void sqliteItselfReadsTheTable() {
        const QString sqlite = QStandardPaths::findExecutable("sqlite3");
        if (sqlite.isEmpty()) QSKIP("the program sqlite3 is not installed");
        const fs::path path = file("read.sqlite");
        RunStore(path).add(sampleRun(1));
        QProcess process;
        process.start(sqlite, {QString::fromStdString(path.string()),
                               "SELECT runs.name, status, metrics.name, minimum, minimum_step "
                               "FROM runs JOIN metrics ON run = id WHERE metrics.name = 'loss'; "
                               "PRAGMA journal_mode;"});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.readAllStandardOutput(), QByteArray("run 1|stopped|loss|0.25|35\nwal\n"));
    }

    void progressAndLabelsAreWrittenApart() {
        RunStore store(file("apart.sqlite"));
        StoredRun run = sampleRun(1);
        run = store.add(run);
        StoredRun person = run, training = run;
        person.notes = "good";
        person.tags = {"best"};
        person.isPinned = true;
        training.step = 77;
        training.status = RunStatus::Finished;
        training.metrics.pop_back();
        store.updateLabels(person);
        store.updateProgress(training);
        const StoredRun read = store.run(run.id);
        QCOMPARE(read.notes, std::string("good"));
        QCOMPARE(read.tags, std::vector<std::string>{"best"});
        QVERIFY(read.isPinned);
        QCOMPARE(read.step, int64_t{77});
        QVERIFY(read.status == RunStatus::Finished);
        QCOMPARE(read.metrics.size(), size_t{1});
        store.erase(run.id);
        QVERIFY(store.runs().empty());
        QVERIFY_EXCEPTION_THROWN(store.run(run.id), Error);
        QVERIFY_EXCEPTION_THROWN(store.updateLabels(run), Error);
    }

    void tagsAreTypedWithCommas_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("written");
        QTest::newRow("none") << ""
                              << "";
        QTest::newRow("two") << "lr,baseline"
                             << "lr, baseline";
        QTest::newRow("blanks") << "  small net ,\tlr , , "
                                << "small net, lr";
        QTest::newRow("each once") << "lr, LR, lr"
                                   << "lr, LR";
    }
    void tagsAreTypedWithCommas() {
        QFETCH(QString, typed);
        QFETCH(QString, written);
        const std::vector<std::string> tags = parseTags(typed.toStdString());
        QCOMPARE(QString::fromStdString(tagText(tags)), written);
        QCOMPARE(parseTags(tagText(tags)), tags);
    }

    /// Programs without tags made the first file, and go on with it beside this one.
    void aHistoryWithoutTagsGetsThem() {
        const QString sqlite = QStandardPaths::findExecutable("sqlite3");
        if (sqlite.isEmpty()) QSKIP("the program sqlite3 is not installed");
        const fs::path path = file("older.sqlite");
        const auto run = [&](const char* sql) {
            QProcess process;
            process.start(sqlite, {QString::fromStdString(path.string()), sql});
            return process.waitForFinished() && process.exitCode() == 0 &&
                   process.readAllStandardError().isEmpty();
        };
        const StoredRun before = RunStore(path).add(sampleRun(1));
        QVERIFY(run("ALTER TABLE runs DROP COLUMN tags"));
        RunStore first(path), second(path);
        StoredRun found = first.run(1);
        QVERIFY(found.tags.empty());
        found.tags = before.tags;
        QVERIFY(found == before);
        second.updateLabels(found);
        QVERIFY(first.run(1) == before);
        QVERIFY(
            run("INSERT INTO runs (name, run_group, folder, spec, status, started_at, seconds, "
                "step, total_steps, seed, parent, pinned, trashed, notes) VALUES ('older', '', "
                "'runs/0002', '', 'finished', 0, 0, 0, 0, 0, 0, 0, 0, '')"));
        QCOMPARE(first.runs().size(), size_t{2});
        QVERIFY(first.run(2).tags.empty());
    }

    void aFileThatIsNotAHistoryIsRefused() {
        const fs::path path = file("text.sqlite");
        writeFileAtomically(path, std::string(2000, 'x'));
        QVERIFY_EXCEPTION_THROWN(RunStore{path}, Error);
        QVERIFY_EXCEPTION_THROWN(RunStore{"/nowhere/at/all.sqlite"}, Error);
    }

    void summariesKnowLastAndBest() {
        MetricSummarizer summarizer;
        const double losses[] = {3, 1, 2, std::numeric_limits<double>::quiet_NaN()};
        int64_t step = 0;
        for (const double loss : losses) summarizer.add(stepEvent(++step, loss));
        summarizer.add({5, EvalEvent{4, 1, 0.5, {{"accuracy", 0.25}}, 8, {}}});
        summarizer.add({6, EvalEvent{8, 2, 0.7, {{"accuracy", 0.5}}, 8, {}}});
        const auto summaries = summarizer.summaries();
        QCOMPARE(summaries.size(), size_t{3});
        QCOMPARE(summaries[0].name, std::string("accuracy"));
        QCOMPARE(summaries[0].best(), 0.5);
        QCOMPARE(summaries[0].bestStep(), int64_t{8});
        QCOMPARE(summaries[1].name, std::string("loss"));
        QCOMPARE(summaries[1].minimum, 1.0);
        QCOMPARE(summaries[1].minimumStep, int64_t{2});
        QVERIFY(std::isnan(summaries[1].last));
        QCOMPARE(summaries[1].spark, (std::vector<float>{3, 1, 2}));
        QCOMPARE(summaries[2].best(), 0.5);
    }

    void sparklinesStayShortAndKeepTheMean_data() {
        QTest::addColumn<int>("values");
        for (const int values : {64, 65, 100, 1000, 4096, 100'000})
            QTest::addRow("%d", values) << values;
    }
    void sparklinesStayShortAndKeepTheMean() {
        QFETCH(int, values);
        MetricSummarizer summarizer;
        for (int i = 0; i < values; ++i) summarizer.add(stepEvent(i + 1, i));
        const std::vector<float> spark = summarizer.summaries().front().spark;
        QVERIFY(spark.size() >= MetricSummary::kSparkPoints / 2);
        QVERIFY(spark.size() <= MetricSummary::kSparkPoints);
        // A straight line stays straight, with equal distances between all points.
        const float distance = spark[1] - spark[0];
        for (size_t i = 1; i < spark.size(); ++i)
            QVERIFY(std::abs(spark[i] - spark[i - 1] - distance) <= 1e-3F * distance);
        QVERIFY(spark.front() < static_cast<float>(values) / 32);
    }

    void aJournalFillsFolderLogAndHistory() {
        const fs::path project = file("journal");
        const auto journal = RunJournal::begin(project, {}, {"title", "command", {}, {}});
        QCOMPARE(journal->folder(), project / "runs/0001");
        writeSteps(*journal, 1, 10);
        journal->write({11, CheckpointEvent{10, "last", "last.ckpt"}});
        RunStore store(runStorePath(project));
        QVERIFY(store.run(1).status == RunStatus::Running);
        QCOMPARE(store.run(1).step, int64_t{10});
        markInterrupted(store, project);
        QVERIFY2(store.run(1).status == RunStatus::Running, "it is locked by this process");
        journal->write({12, EndEvent{RunOutcome::Finished, 10, 12, {}, {}, {}}});
        QVERIFY(store.run(1).status == RunStatus::Finished);
        QCOMPARE(readRunLog(runLogPath(journal->folder())).steps.size(), size_t{10});
    }

    void aRunWhoseWriterIsGoneIsInterruptedAndContinues() {
        const fs::path project = file("gone");
        std::vector<double> losses;
        {
            const auto journal = RunJournal::begin(project, {}, {});
            writeSteps(*journal, 1, 10);
            journal->write({11, CheckpointEvent{6, "last", "last.ckpt"}});
        }
        // A program that dies in the middle of a line leaves this.
        const fs::path log = runLogPath(project / "runs/0001");
        writeFileAtomically(log, readFile(log) + "{\"event\": \"st");
        RunStore store(runStorePath(project));
        markInterrupted(store, project);
        QVERIFY(store.run(1).status == RunStatus::Interrupted);
        {
            const auto journal = RunJournal::resume(project, store.run(1), {}, 6);
            QVERIFY_EXCEPTION_THROWN(RunJournal::resume(project, store.run(1), {}, 6), Error);
            writeSteps(*journal, 7, 9);
        }
        const RunRecord record = readRunLog(log);
        QCOMPARE(record.steps.size(), size_t{9});
        for (size_t i = 0; i < record.steps.size(); ++i)
            QCOMPARE(record.steps[i].step, static_cast<int64_t>(i + 1));
        QCOMPARE(store.run(1).metrics.front().count, int64_t{9});
    }

    void logsFromElsewhereAreImported() {
        const fs::path path = file("elsewhere.jsonl");
        {
            RunLog log(path);
            log.write(RunSettings{"Training x", "temper train x", {}, {}});
            for (int step = 1; step <= 4; ++step) log.write(stepEvent(step, 1.0 / step));
            log.write({5, EndEvent{RunOutcome::Stopped, 4, 5, {}, {}, {}}});
        }
        RunStore store(file("import.sqlite"));
        const StoredRun run = importRunLog(store, path);
        QVERIFY(store.run(run.id) == run);
        QCOMPARE(run.name, std::string("Training x"));
        QVERIFY(run.status == RunStatus::Stopped);
        QCOMPARE(run.metrics.front().minimum, 0.25);
        QCOMPARE(run.seconds, 5.0);
    }

private:
    fs::path file(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }

    static void writeSteps(RunJournal& journal, int64_t first, int64_t last) {
        journal.write({0, StartedEvent{8, 0, 10, 5, first - 1, 1, 1}});
        for (int64_t step = first; step <= last; ++step)
            journal.write(stepEvent(step, 1.0 / static_cast<double>(step)));
    }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::RunStoreTest)
#include "run_store_test.moc"
