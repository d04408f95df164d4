// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_lock.h"
#include "engine/core/random.h"
#include "engine/jobs/job_client.h"
#include "engine/jobs/job_folder.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_log.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/projects/project_run.h"
#include "tests/app/temper_program.h"

namespace temper::test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Kind = JobRequest::Kind;

constexpr int kPatienceMs = 400'000;

/// Jobs that `temper serve` runs, and what becomes of them if it is killed.
class CliServeTest : public QObject {
    Q_OBJECT

private slots:
    void init() { dir_ = std::make_unique<QTemporaryDir>(); }
    void cleanup() {
        server_.reset();
        for (const qint64 process : jobProcesses() + processesWith({"serve", jobs()}))
            ::kill(static_cast<pid_t>(process), SIGKILL);
    }

    void aJobTrainsAProject() {
        makeProject("a", 3);
        startServer();
        const ProgramResult added = runTemper({"jobs", "--folder", jobs(), "add", path("a")});
        QVERIFY2(added.exitStatus == 0, added.all().constData());
        QCOMPARE(added.out, "job 1: Run 1 of " + path("a").toUtf8() + "\n");
        const ProgramResult followed = runTemper({"jobs", "--folder", jobs(), "follow", "1"});
        QVERIFY2(followed.exitStatus == 0 && followed.out.contains("finished after"),
                 followed.all().constData());
        const ProgramResult list = runTemper({"jobs", "--folder", jobs()});
        QVERIFY2(list.out.contains("finished") && list.out.contains(path("a").toUtf8()),
                 list.all().constData());
        // For people: what the server starts is of no use to them.
        QCOMPARE(readRunLog(logOf("a", 1)).settings.command,
                 "temper train " + path("a").toStdString());
        // The same run in this terminal has the same end.
        makeProject("alone", 3);
        QCOMPARE(runTemper({"train", path("alone")}).exitStatus, 0);
        QVERIFY(checkpointOf("a", 1) == checkpointOf("alone", 1));
    }

    void twentyJobsSurviveTwentyKills() {
        constexpr int kProjects = 4;
        constexpr int kJobs = 20;
        constexpr int kKills = 20;
        makeProject("alone", 24);
        QCOMPARE(runTemper({"train", path("alone")}).exitStatus, 0);
        const std::string whole = checkpointOf("alone", 1);
        const std::vector<std::string> curve = curveOf("alone", 1);
        for (int i = 0; i < kProjects; ++i) makeProject(QString::number(i), 24);
        startServer();
        for (int i = 0; i < kJobs; ++i) client().add({folder(QString::number(i % kProjects))});
        Random random(1);
        int killedJobs = 0;
        for (int i = 0; i < kKills; ++i) {
            QTest::qWait(static_cast<int>(random.below(400)));
            if (i % 2 == 0) waitForAProcess(kJobs);
            server_->kill();
            QVERIFY(server_->waitForFinished());
            // Half of them are power cuts, which take the jobs along.
            if (i % 2 == 0) {
                for (const qint64 process : jobProcesses())
                    killedJobs += ::kill(static_cast<pid_t>(process), SIGKILL) == 0;
            }
            startServer();
        }
        waitUntilOver(kJobs);
        qInfo("%d kills of the server, %d of its jobs", kKills, killedJobs);
        QVERIFY(killedJobs > 0);
        for (const JobStatus& job : client().jobs())
            QVERIFY2(job.status == RunStatus::Finished && job.job.problem.empty(),
                     toJson(job).c_str());
        for (int i = 0; i < kProjects; ++i) {
            const QString name = QString::number(i);
            QCOMPARE(RunStore(runStorePath(folder(name))).runs().size(), size_t{kJobs / kProjects});
            for (int run = 1; run <= kJobs / kProjects; ++run) {
                QVERIFY(curveOf(name, run) == curve);
                QVERIFY(checkpointOf(name, run) == whole);
            }
        }
    }

    void whoFollowsMissesNothing() {
        makeProject("a", 40);
        startServer();
        client().add({folder("a")});
        Random random(2);
        std::vector<std::string> seen;
        LogFollower follower;
        while (true) {
            // Attached for a moment, then away; the server is killed meanwhile, too.
            const bool isOver = client().job(1).job.isOver;
            for (int i = 0; i < 5; ++i) take(client(), follower, seen);
            if (isOver) break;
            if (random.below(6) == 0) {
                server_->kill();
                QVERIFY(server_->waitForFinished());
                startServer();
            }
            QTest::qWait(static_cast<int>(random.below(100)));
        }
        QVERIFY(seen == linesOf("a", 1));
        // Who comes late sees the same.
        LogFollower late;
        std::vector<std::string> again;
        take(client(), late, again);
        QVERIFY(again == seen);
    }

    void aJobIsControlled() {
        makeProject("a", 1'000'000);
        startServer();
        client().add({folder("a")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > 0, kPatienceMs);
        client().request(1, {Kind::Pause});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).isPaused, kPatienceMs);
        client().request(1, {Kind::Checkpoint, 0, "mine.ckpt"});
        QTRY_VERIFY_WITH_TIMEOUT(hasCheckpoint("mine.ckpt"), kPatienceMs);
        client().fetchCheckpoint(1, "mine.ckpt", folder("fetched.ckpt"));
        QVERIFY(readFile(folder("fetched.ckpt")) == readFile(folder("a") / "runs/0001/mine.ckpt"));
        client().request(1, {Kind::Rate, 0.0078125});
        client().request(1, {Kind::Step});
        QTRY_VERIFY_WITH_TIMEOUT(lastStep("a").learningRate == 0.0078125, kPatienceMs);
        QVERIFY(client().job(1).isPaused);
        client().request(1, {Kind::Resume});
        QTRY_VERIFY_WITH_TIMEOUT(!client().job(1).isPaused, kPatienceMs);
        client().request(1, {Kind::Stop});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).status == RunStatus::Stopped, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).job.isOver, kPatienceMs);
        QVERIFY(fs::exists(folder("a") / "runs/0001/last.ckpt"));
        // It is not continued, not even by the next server.
        server_->kill();
        QVERIFY(server_->waitForFinished());
        startServer();
        makeProject("b", 1);
        client().add({folder("b")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(2).status == RunStatus::Finished, kPatienceMs);
        QVERIFY(client().job(1).status == RunStatus::Stopped);
    }

    /// The server is killed when it has stored the stop, perhaps before it has sent it.
    void aStopOutlivesTheServer() {
        for (const Kind kind : {Kind::Stop, Kind::StopAfterEpoch}) {
            const QString name = kind == Kind::Stop ? "now" : "epoch";
            makeProject(name, 1'000'000);
            startServer();
            const int64_t id = client().add({folder(name)}).job.id;
            QTRY_VERIFY_WITH_TIMEOUT(client().job(id).step > 0, kPatienceMs);
            server_->kill();
            QVERIFY(server_->waitForFinished());
            JobStore(JobFolder(jobs().toStdString()).database())
                .requestStop(id, std::string(nameOf(kind)));
            startServer();
            QTRY_VERIFY_WITH_TIMEOUT(client().job(id).status == RunStatus::Stopped, kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(client().job(id).job.isOver, kPatienceMs);
        }
    }

    /// Whoever ends its process has not stopped the job.
    void aJobThatIsTerminatedIsContinued() {
        makeProject("a", 1'000'000);
        startServer();
        client().add({folder("a")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > 5, kPatienceMs);
        const qint64 first = jobProcess();
        QVERIFY(first != 0);
        QCOMPARE(::kill(static_cast<pid_t>(first), SIGTERM), 0);
        const auto isAnother = [this, first] {
            const qint64 process = jobProcess();
            return process != 0 && process != first;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isAnother(), kPatienceMs);
        QVERIFY(!client().job(1).job.isOver);
        client().request(1, {Kind::StopNow});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).job.isOver, kPatienceMs);
    }

    void anInterruptedServerSavesItsJobs() {
        makeProject("a", 1'000'000);
        startServer();
        client().add({folder("a")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > 5, kPatienceMs);
        QVERIFY(sendSignal(*server_, SIGINT));
        QVERIFY(server_->waitForFinished(kPatienceMs));
        QVERIFY2(server_->exitStatus() == QProcess::NormalExit && server_->exitCode() == 0,
                 server_->readAllStandardError().constData());
        QVERIFY(jobProcesses().empty());
        const int64_t saved = lastStep("a").step;
        startServer();
        QTRY_VERIFY_WITH_TIMEOUT(lastStep("a").step > saved, kPatienceMs);
        client().request(1, {Kind::Stop});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).status == RunStatus::Stopped, kPatienceMs);
        // Each step once.
        int64_t expected = 0;
        for (const RunEvent& event : readRunEvents(logOf("a", 1))) {
            if (const auto* step = std::get_if<StepEvent>(&event.fact))
                QCOMPARE(step->step, ++expected);
        }
    }

    void aJobThatCannotRunSaysWhy() {
        makeProject("a", 1);
        ProjectFile project = readProject(folder("a"));
        project.spec.model = path("missing.onnx").toStdString();
        writeProject(project, folder("a"));
        makeProject("b", 1);
        startServer();
        client().add({folder("a")});
        client().add({folder("b")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(2).status == RunStatus::Finished, kPatienceMs);
        const JobStatus broken = client().job(1);
        QVERIFY(broken.job.isOver && broken.status == RunStatus::Waiting);
        QVERIFY2(broken.job.problem.find("missing.onnx") != std::string::npos,
                 broken.job.problem.c_str());
        const ProgramResult list = runTemper({"jobs", "--folder", jobs()});
        QVERIFY2(list.out.contains("given up") && list.err.contains("job 1: "),
                 list.all().constData());
    }

    /// A folder for checkpoints may be that of several runs.
    void aRunIsContinuedFromItsOwnCheckpoint() {
        makeProject("a", 3, path("shared"));
        QCOMPARE(runTemper({"train", path("a")}).exitStatus, 0);
        const fs::path project = folder("a");
        RunStore store(runStorePath(project));
        QVERIFY(resumePointOf(store.run(1), project).checkpoint == folder("shared") / "last.ckpt");
        const StoredRun next = newRunOf(readProject(project).spec, project);
        const auto journal = RunJournal::begin(project, next, {});
        const ResumePoint point = resumePointOf(store.run(2), project);
        QVERIFY(point.checkpoint.empty() && point.step == 0);
    }

    /// A power cut must not leave a job whose run the history has forgotten.
    void aJobIsAddedWhenItsRunIsOnTheDisk() {
        makeProject("a", 1);
        QProcessEnvironment faulty = QProcessEnvironment::systemEnvironment();
        faulty.insert("LD_PRELOAD", QStringLiteral(TEMPER_FAULT_INJECTOR));
        faulty.insert("TEMPER_FAULT", "fsync:5:runs.sqlite-wal:1:0");
        faulty.insert("ASAN_OPTIONS", "verify_asan_link_order=0");
        startServer({}, faulty);
        try {
            client().add({folder("a")});
            QFAIL("added");
        } catch (const Error& error) {
            QVERIFY2(QByteArray(error.what()).startsWith("The history of runs"), error.what());
        }
        QVERIFY(client().jobs().empty());
    }

    void aRunThatStopsAfterItsEpochCanBePaused() {
        makeProject("a", 1'000'000);
        ProjectFile project = readProject(folder("a"));
        project.spec.run.batchSize = 1;  // an epoch of 40 steps
        writeProject(project, folder("a"));
        startServer();
        client().add({folder("a")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > 0, kPatienceMs);
        client().request(1, {Kind::Pace, 4});  // steps per second
        client().request(1, {Kind::Pause});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).isPaused, kPatienceMs);
        // With the whole of an epoch to go.
        while (lastStep("a").step % 40 != 1) {
            const int64_t step = lastStep("a").step;
            client().request(1, {Kind::Step});
            QTRY_VERIFY_WITH_TIMEOUT(lastStep("a").step > step, kPatienceMs);
        }
        client().request(1, {Kind::StopAfterEpoch});
        client().request(1, {Kind::Pause});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).isPaused, kPatienceMs);
        QTest::qWait(500);  // several looks at the stop that is stored
        QVERIFY(client().job(1).isPaused);
        client().request(1, {Kind::StopNow});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).job.isOver, kPatienceMs);
    }

    void jobsThatSaveToOneFolderRunOneAfterTheOther() {
        makeProject("a", 1'000'000, path("shared"));
        startServer({"--parallel", "2"});
        for (int i = 0; i < 2; ++i) client().add({folder("a")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > 0, kPatienceMs);
        QVERIFY(client().job(2).status == RunStatus::Waiting);
        client().request(1, {Kind::StopNow});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(2).step > 0, kPatienceMs);
        // A program that is not the server's has the folder.
        client().request(2, {Kind::StopNow});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(2).job.isOver && jobProcesses().empty(), kPatienceMs);
        auto others = std::make_unique<FolderLock>(folder("shared"));
        client().add({folder("a")});
        QTest::qWait(500);
        QVERIFY(client().job(3).status == RunStatus::Waiting && !client().job(3).job.isOver);
        others.reset();
        QTRY_VERIFY_WITH_TIMEOUT(client().job(3).step > 0, kPatienceMs);
    }

    void jobsRunAtTheSameTimeIfAskedTo() {
        makeProject("a", 1'000'000);
        startServer({"--parallel", "2"});
        for (int i = 0; i < 3; ++i) client().add({folder("a")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > 0 && client().job(2).step > 0, kPatienceMs);
        QVERIFY(client().job(3).status == RunStatus::Waiting);
        client().request(1, {Kind::StopNow});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(3).step > 0, kPatienceMs);
        for (const int64_t id : {2, 3}) client().request(id, {Kind::StopNow});
        QTRY_VERIFY_WITH_TIMEOUT(jobProcesses().empty(), kPatienceMs);
    }

    void aServerInTheBackgroundIsStartedOnce() {
        const ProgramResult first =
            runTemper({"serve", "--background", "--folder", jobs(), "--port", "0"});
        QVERIFY2(first.exitStatus == 0 && first.out.contains("127.0.0.1:"),
                 first.all().constData());
        const ProgramResult second = runTemper({"serve", "--background", "--folder", jobs()});
        QVERIFY2(second.exitStatus == 0 && second.out.contains("already"),
                 second.all().constData());
        const ProgramResult third = runTemper({"serve", "--folder", jobs()});
        QVERIFY2(third.exitStatus == 1 && isFriendlyError(third), third.all().constData());
        const ProgramResult empty = runTemper({"jobs", "--folder", jobs()});
        QVERIFY2(empty.out.startsWith("The queue is empty."), empty.all().constData());
        const QList<qint64> servers = processesWith({"serve", jobs()});
        QCOMPARE(servers.size(), 1);
        QCOMPARE(::kill(static_cast<pid_t>(servers.front()), SIGTERM), 0);
        QTRY_VERIFY_WITH_TIMEOUT(processesWith({"serve", jobs()}).empty(), kPatienceMs);
    }

    /// The next one begins after the jobs of the last one have saved.
    void aServerThatEndsIsFollowedByTheNext() {
        makeProject("a", 1'000'000);
        startServer();
        client().add({folder("a")});
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > 0, kPatienceMs);
        const auto job = static_cast<pid_t>(jobProcess());
        QVERIFY(job != 0);
        QCOMPARE(::kill(job, SIGSTOP), 0);
        QVERIFY(sendSignal(*server_, SIGTERM));
        QTRY_VERIFY_WITH_TIMEOUT(client().isServerEnding(), kPatienceMs);
        QProcess next;
        next.start(QStringLiteral(TEMPER_PROGRAM), {"serve", "--background", "--folder", jobs()});
        QVERIFY(!next.waitForFinished(500));
        QCOMPARE(::kill(job, SIGCONT), 0);
        QVERIFY(server_->waitForFinished(kPatienceMs));
        QVERIFY(next.waitForFinished(kPatienceMs));
        QVERIFY2(next.exitCode() == 0, next.readAllStandardError().constData());
        QVERIFY(!client().isServerEnding());
        const int64_t saved = client().job(1).step;
        QTRY_VERIFY_WITH_TIMEOUT(client().job(1).step > saved, kPatienceMs);
    }

    void withoutAServerTheCommandSaysSo() {
        const ProgramResult none = runTemper({"jobs", "--folder", path("nowhere")});
        QVERIFY2(none.exitStatus == 2 && isFriendlyError(none), none.all().constData());
        QVERIFY2(none.err.contains("temper serve"), none.all().constData());
    }

private:
    QString path(const QString& name) const { return dir_->filePath(name); }
    fs::path folder(const QString& name) const { return path(name).toStdString(); }
    QString jobs() const { return path("jobs"); }
    fs::path logOf(const QString& name, int run) const {
        return folder(name) / QString::asprintf("runs/%04d/run.jsonl", run).toStdString();
    }

    void makeProject(const QString& name, int64_t epochs, const QString& saveFolder = {}) const {
        ProjectFile project;
        project.spec = findLesson("xor").spec;
        project.spec.run.epochs = epochs;
        project.spec.run.saveEvery = 5;
        project.spec.run.saveFolder = saveFolder.toStdString();
        project.spec.run.session.threads = 1;
        writeProject(project, folder(name));
    }

    void startServer(
        const QStringList& options = {},
        const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment()) {
        server_ = std::make_unique<QProcess>();
        server_->setProcessEnvironment(environment);
        server_->start(QStringLiteral(TEMPER_PROGRAM),
                       QStringList{"serve", "--folder", jobs()} + options);
        QTRY_VERIFY_WITH_TIMEOUT(answers(), kPatienceMs);
    }
    JobClient& client() {
        client_ = std::make_unique<JobClient>(serverIn(jobs().toStdString()));
        return *client_;
    }
    bool answers() {
        try {
            client().jobs();
            return true;
        } catch (const Error&) {
            return false;
        }
    }
    void waitUntilOver(int count) { QTRY_VERIFY_WITH_TIMEOUT(countOver() == count, kPatienceMs); }
    /// Of a job, unless all of so many are over. It may end at once, so this looks for it only once
    /// each time, unlike QTRY_VERIFY.
    void waitForAProcess(int count) {
        const auto isSeen = [&] { return !jobProcesses().empty() || countOver() == count; };
        QVERIFY(QTest::qWaitFor(isSeen, kPatienceMs));
    }
    int countOver() {
        int count = 0;
        for (const JobStatus& job : client().jobs()) count += job.job.isOver;
        return count;
    }
    bool hasCheckpoint(const std::string& name) {
        for (const CheckpointInfo& each : client().checkpoints(1)) {
            if (each.name == name) return true;
        }
        return false;
    }

    static void take(JobClient& client, LogFollower& follower, std::vector<std::string>& seen) {
        const LogFollower::News news = client.follow(1, follower, milliseconds(0));
        if (news.startsOver) seen.clear();
        for (const RunEvent& event : news.events) seen.push_back(toJsonLine(event));
    }
    std::vector<std::string> linesOf(const QString& name, int run) const {
        std::vector<std::string> lines;
        for (const RunEvent& event : readRunEvents(logOf(name, run)))
            lines.push_back(toJsonLine(event));
        return lines;
    }
    /// Step and loss of each step, to the last bit.
    std::vector<std::string> curveOf(const QString& name, int run) const {
        std::vector<std::string> curve;
        for (const StepEvent& step : readRunLog(logOf(name, run)).steps) {
            curve.push_back(std::to_string(step.step) + ' ' +
                            QByteArray::number(step.loss, 'g', 17).toStdString());
        }
        return curve;
    }
    StepEvent lastStep(const QString& name) const {
        const RunRecord record = readRunLog(logOf(name, 1));
        return record.steps.empty() ? StepEvent{} : record.steps.back();
    }
    std::string checkpointOf(const QString& name, int run) const {
        return readFile(logOf(name, run).parent_path() / "last.ckpt");
    }

    QList<qint64> jobProcesses() const { return processesWith({"run-job", jobs()}); }
    /// The only one; 0 if there is none or several.
    qint64 jobProcess() const {
        const QList<qint64> processes = jobProcesses();
        return processes.size() == 1 ? processes.front() : 0;
    }
    /// Processes with these words on their command line.
    static QList<qint64> processesWith(const QStringList& words) {
        QList<qint64> found;
        for (const QString& process : QDir("/proc").entryList(QDir::Dirs)) {
            QFile file("/proc/" + process + "/cmdline");
            if (process.toLongLong() <= 0 || !file.open(QIODevice::ReadOnly)) continue;
            const QList<QByteArray> line = file.readAll().split('\0');
            bool hasAll = true;
            for (const QString& word : words) hasAll = hasAll && line.contains(word.toUtf8());
            if (hasAll) found.append(process.toLongLong());
        }
        return found;
    }

    std::unique_ptr<QTemporaryDir> dir_;
    std::unique_ptr<QProcess> server_;
    std::unique_ptr<JobClient> client_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliServeTest)
#include "cli_serve_test.moc"
