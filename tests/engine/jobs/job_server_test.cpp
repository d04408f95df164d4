// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/jobs/access_token.h"
#include "engine/jobs/job_client.h"
#include "engine/jobs/job_server.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_archive.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/projects/project_run.h"

namespace temper::test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// What a job server answers, to its client and to strangers. No job runs here.
class JobServerTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        dir_ = std::make_unique<QTemporaryDir>();
        folder_ = std::make_unique<JobFolder>(path("jobs"));
        queue_ = std::make_unique<JobQueue>(*folder_, [](int64_t) -> pid_t { return -1; });
        server_ = std::make_unique<JobServer>(*folder_, *queue_, 0);
        client_ = std::make_unique<JobClient>(serverIn(folder_->path()));
    }
    void cleanup() {
        client_.reset();
        server_.reset();
        queue_.reset();
    }

    void theQueueIsThatOfTheServer() {
        QVERIFY(client_->jobs().empty());
        const JobStatus first = client_->add({makeProject("a")});
        const JobStatus second = client_->add({makeProject("b")});
        QCOMPARE(first.job.id, int64_t{1});
        QVERIFY(first.status == RunStatus::Waiting && first.name == "Run 1");
        QVERIFY(client_->jobs() == (std::vector{first, second}));
        client_->moveFirst(2);
        QVERIFY(client_->jobs() == (std::vector{second, first}));
        client_->remove(2);
        QVERIFY(client_->jobs() == (std::vector{first}));
        QVERIFY(client_->job(1) == first);
        // The removed job's run stays in the history.
        QCOMPARE(RunStore(runStorePath(path("b"))).runs().size(), size_t{1});
    }

    void aRunOfTheHistoryCanBeAdded() {
        const fs::path project = makeProject("a");
        const JobStatus job = client_->add({project});
        client_->remove(job.job.id);
        QCOMPARE(client_->add({project, 1}).job.run, int64_t{1});
        QCOMPARE(errorOf([&] {
                     client_->add({project, 1});
                 }),
                 "Run 1 of '" + QString::fromStdString(project.string()) +
                     "' is in the queue already, as job 2.");
        QCOMPARE(errorOf([&] { client_->add({project, 9}); }), "Run 9 is not in the history.");
    }

    void aRunThatHasEndedIsNotAdded() {
        const fs::path project = makeProject("a");
        RunStore store(runStorePath(project));
        StoredRun run;
        run.status = RunStatus::Finished;
        run = store.add(run);
        QCOMPARE(errorOf([&] {
                     client_->add({project, run.id});
                 }),
                 "The run 'Run 1' has ended: finished.");
    }

    void whatIsNotAProjectIsRefused_data() {
        QTest::addColumn<QString>("folder");
        QTest::newRow("nothing") << QString();
        QTest::newRow("not there") << QString("/nowhere/at/all");
        QTest::newRow("relative") << QString("a");
        QTest::newRow("no project in it") << QString("/tmp");
    }
    void whatIsNotAProjectIsRefused() {
        QFETCH(QString, folder);
        makeProject("a");
        QCOMPARE(errorOf([&] { client_->add({folder.toStdString()}); }),
                 "'" + folder + "' is not the folder of a project.");
    }

    void aProjectThatIsGoneIsNamedInTheList() {
        client_->add({makeProject("a")});
        fs::remove_all(path("a"));
        const JobStatus job = client_->jobs().at(0);
        QVERIFY2(job.job.problem.find("is gone") != std::string::npos, job.job.problem.c_str());
        client_->remove(1);
        QVERIFY(client_->jobs().empty());
    }

    void aJobThatWaitsCanOnlyBeStopped() {
        client_->add({makeProject("a")});
        QCOMPARE(errorOf([&] { client_->request(1, {JobRequest::Kind::Pause}); }),
                 "Job 1 has not started yet.");
        client_->request(1, {JobRequest::Kind::Stop});
        QVERIFY(client_->job(1).job.isOver);
        QCOMPARE(errorOf([&] { client_->request(1, {JobRequest::Kind::Stop}); }), "Job 1 is over.");
    }

    void jobsThatAreNotThereAreNamed() {
        for (const int64_t id : {int64_t{5}, std::numeric_limits<int64_t>::max()}) {
            const QString message = "Job " + QString::number(id) + " does not exist.";
            LogFollower follower;
            QCOMPARE(errorOf([&] { client_->job(id); }), message);
            QCOMPARE(errorOf([&] { client_->remove(id); }), message);
            QCOMPARE(errorOf([&] { client_->moveFirst(id); }), message);
            QCOMPARE(errorOf([&] { client_->request(id, {}); }), message);
            QCOMPARE(errorOf([&] { client_->follow(id, follower, milliseconds(0)); }), message);
            QCOMPARE(errorOf([&] { client_->checkpoints(id); }), message);
        }
    }

    void aLogIsFollowed() {
        const fs::path project = makeProject("a");
        client_->add({project});
        LogFollower follower;
        QVERIFY(client_->follow(1, follower, milliseconds(0)).events.empty());
        const auto journal = RunJournal::begin(project, RunStore(runStorePath(project)).run(1), {});
        for (int64_t step = 1; step <= 5; ++step) journal->write(stepEvent(step));
        QCOMPARE(client_->follow(1, follower, milliseconds(0)).events.size(), size_t{5});
        journal->write(stepEvent(6));
        const auto news = client_->follow(1, follower, milliseconds(5000));
        QVERIFY(news.events.size() == 1 && !news.startsOver);
        QCOMPARE(stepOf(news.events.front()), int64_t{6});
        QVERIFY(client_->job(1).status == RunStatus::Running);
        journal->write({1, PausedEvent{6}});
        QVERIFY(client_->job(1).isPaused);
    }

    void checkpointsAreListedAndFetched() {
        const fs::path project = makeProject("a");
        client_->add({project});
        QVERIFY(client_->checkpoints(1).empty());
        const fs::path run = project / "runs/0001";
        ensureFolder(run);
        const std::string content(1'000'000, '\x80');
        writeFileAtomically(run / "last.ckpt", content);
        writeFileAtomically(run / "empty.ckpt", "");
        writeFileAtomically(run / "run.jsonl", "");
        QVERIFY(client_->checkpoints(1) ==
                (std::vector<CheckpointInfo>{{"empty.ckpt", 0}, {"last.ckpt", 1'000'000}}));
        client_->fetchCheckpoint(1, "last.ckpt", path("fetched"));
        QVERIFY(readFile(path("fetched")) == content);
        client_->fetchCheckpoint(1, "empty.ckpt", path("fetched"));
        QVERIFY(readFile(path("fetched")).empty());
    }

    void onlyCheckpointsAreFetched_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"run.jsonl", "none.ckpt", "..", "..%2Fa.ckpt", "%2Fetc%2Fpasswd"})
            QTest::newRow(name) << QString(name);
    }
    void onlyCheckpointsAreFetched() {
        QFETCH(QString, name);
        const fs::path project = makeProject("a");
        client_->add({project});
        ensureFolder(project / "runs/0001");
        writeFileAtomically(project / "runs/0001/run.jsonl", "");
        writeFileAtomically(project / "runs/a.ckpt", "secret");
        const QString message =
            errorOf([&] { client_->fetchCheckpoint(1, name.toStdString(), path("fetched")); });
        QVERIFY2(message.contains("no checkpoint") || message.contains("does not know"),
                 qPrintable(message));
        QVERIFY(!fs::exists(path("fetched")));
    }

    void aNewRunMayHaveOtherChoicesThanTheProject() {
        const fs::path project = makeProject("a");
        ProjectFile other = readProject(project);
        other.spec.run.epochs = 77;
        client_->add({project, 0, toJson(other, project)});
        const StoredRun run = RunStore(runStorePath(project)).run(1);
        QCOMPARE(specOfRun(run, project).run.epochs, int64_t{77});
        QVERIFY(run.status == RunStatus::Waiting && run.tags == std::vector<std::string>{kJobTag});
        QVERIFY(errorOf([&] {
                    client_->add({project, 0, R"({"format": 1, "spec": 3})"});
                }) != "(no error)");
        QCOMPARE(client_->jobs().size(), size_t{1});
        QCOMPARE(RunStore(runStorePath(project)).runs().size(), size_t{1});
        // Out of the queue, it is any program's.
        client_->remove(1);
        QVERIFY(RunStore(runStorePath(project)).run(1).tags.empty());
    }

    void theProjectOfAJobIsFetched() {
        const fs::path project = makeProject("a");
        client_->add({project});
        // The choices are those of the run.
        ProjectFile changed = readProject(project);
        changed.spec.run.epochs = 99;
        writeProject(changed, project);
        client_->fetchProject(1, path("fetched.temper"));
        ensureFolder(path("there"));
        const UnpackedProject unpacked = unpackProject(path("fetched.temper"), path("there"));
        QCOMPARE(readProject(unpacked.folder).spec.run.epochs, findLesson("xor").spec.run.epochs);
        QVERIFY(fs::is_empty(folder_->archives()));
        // Nor does the next server keep what one that was killed has left.
        writeFileAtomically(folder_->archives() / "9.temper", "half");
        server_.reset();
        const JobServer next(*folder_, *queue_, std::nullopt);
        QVERIFY(fs::is_empty(folder_->archives()));
    }

    void strangersAreRefused_data() {
        QTest::addColumn<QString>("token");
        const QString wrong(64, '0');
        QTest::newRow("none") << QString();
        QTest::newRow("wrong") << wrong;
        QTest::newRow("longer") << wrong + "0";
        QTest::newRow("shorter") << wrong.left(10);
    }
    void strangersAreRefused() {
        QFETCH(QString, token);
        ServerAddress address = serverIn(folder_->path());
        QCOMPARE(address.token.size(), size_t{64});
        address.token = token.toStdString();
        JobClient stranger(address);
        LogFollower follower;
        const QString message = "The job server does not accept the token.";
        QCOMPARE(errorOf([&] { stranger.jobs(); }), message);
        QCOMPARE(errorOf([&] { stranger.add({makeProject("a")}); }), message);
        QCOMPARE(errorOf([&] { stranger.request(1, {}); }), message);
        QCOMPARE(errorOf([&] { stranger.follow(1, follower, milliseconds(0)); }), message);
        QCOMPARE(errorOf([&] { stranger.fetchCheckpoint(1, "a.ckpt", path("f")); }), message);
        QVERIFY(client_->jobs().empty());
        // The beginning of the right token is not enough either.
        address.token = serverIn(folder_->path()).token.substr(0, 63);
        QCOMPARE(errorOf([&] { JobClient(address).jobs(); }), message);
    }

    void whoSendsNoTokenIsRefused() {
        const QByteArray answer = rawAnswer("GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QVERIFY2(answer.startsWith("HTTP/1.1 401 "), answer.constData());
        QVERIFY2(!answer.contains("project"), answer.constData());
    }

    void aTokenThatIsDamagedIsNamed() {
        writeFileAtomically(path("token"), "abc\n");
        QVERIFY(errorOf([&] { readToken(path("token")); }).contains("is not a token"));
        QCOMPARE(ownToken(path("new")), ownToken(path("new")));
        QVERIFY(ownToken(path("other")) != ownToken(path("new")));
        QVERIFY(isSameToken("ab", "ab") && !isSameToken("ab", "abc") && !isSameToken("", "ab"));
    }

    void aCancelledClientThrows() {
        client_->cancel();
        QCOMPARE(errorOf([&] { client_->jobs(); }), "The call of the job server was cancelled.");
    }

    void whatIsNotHttpIsRefused_data() {
        QTest::addColumn<QByteArray>("request");
        QTest::newRow("noise") << QByteArray(3000, '\x01') + "\r\n\r\n";
        QTest::newRow("a long line") << "GET /" + QByteArray(100'000, 'a') + " HTTP/1.1\r\n\r\n";
        QTest::newRow("huge body")
            << QByteArray("POST /v1/jobs HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n");
        QTest::newRow("body of unknown length") << QByteArray(
            "POST /v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n");
        QTest::newRow("compressed body") << QByteArray(
            "POST /v1/jobs HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc");
    }
    void whatIsNotHttpIsRefused() {
        QFETCH(QByteArray, request);
        const QByteArray answer = rawAnswer(request);
        QVERIFY2(answer.isEmpty() || answer.startsWith("HTTP/1.1 4"), answer.constData());
        QVERIFY(client_->jobs().empty());  // the server goes on
    }

    /// It would be read without an end, before the token is seen.
    void aBodyWithoutALengthIsNotRead_data() {
        QTest::addColumn<QByteArray>("method");
        for (const char* method : {"POST", "PUT", "PATCH", "PRI"})
            QTest::newRow(method) << QByteArray(method);
    }
    void aBodyWithoutALengthIsNotRead() {
        QFETCH(QByteArray, method);
        const QByteArray answer =
            rawAnswer(method + " /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n{}");
        QVERIFY2(answer.startsWith("HTTP/1.1 400 ") && answer.contains("known length"),
                 answer.constData());
    }

    void unknownRequestsAreNamed() {
        const QByteArray token = QByteArray::fromStdString(serverIn(folder_->path()).token);
        const QByteArray answer =
            rawAnswer("GET /v9/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
                      "\r\n\r\n");
        QVERIFY2(answer.startsWith("HTTP/1.1 404 ") && answer.contains("'GET /v9/jobs'"),
                 answer.constData());
    }

    void thePortIsOfThisMachineOnly() {
        const int port = server_->port().value();
        ServerAddress address{{}, port, serverIn(folder_->path()).token};
        QVERIFY(JobClient(address).jobs().empty());
        const QString wanted = QString::asprintf(":%04X", port);
        int listeners = 0;
        for (const char* name : {"/proc/net/tcp", "/proc/net/tcp6"}) {
            QFile table(name);
            if (!table.open(QIODevice::ReadOnly)) continue;
            for (const QByteArray& line : table.readAll().split('\n')) {
                const QList<QByteArray> words = line.simplified().split(' ');
                constexpr int kState = 3;
                if (words.size() <= kState || words.at(kState) != "0A") continue;  // listens
                if (!QString(words.at(1)).endsWith(wanted)) continue;
                ++listeners;
                QCOMPARE(words.at(1), QString("0100007F" + wanted).toLatin1());
            }
        }
        QCOMPARE(listeners, 1);
    }

    void theFolderIsClosedToOthers() {
        const auto permissions = [](const fs::path& file) {
            return fs::status(file).permissions();
        };
        const fs::perms others = fs::perms::group_all | fs::perms::others_all;
        for (const fs::path& file : {folder_->path(), folder_->token(), folder_->socket()})
            QVERIFY2((permissions(file) & others) == fs::perms::none, file.c_str());
    }

    void aFolderOfOthersIsRefused() {
        ensureFolder(path("open"));
        fs::permissions(path("open"), fs::perms::owner_all | fs::perms::group_read);
        const QString message = errorOf([&] { JobFolder(path("open")).create(); });
        QVERIFY2(message.startsWith("Other users can open the folder '"), qPrintable(message));
    }

    void aFolderHasOneServer() {
        const QString message =
            errorOf([&] { const JobQueue second(*folder_, [](int64_t) -> pid_t { return -1; }); });
        QVERIFY2(message.startsWith("Another server runs the jobs of '"), qPrintable(message));
    }

    void aServerThatIsGoneIsNamed() {
        server_.reset();
        const QString message = errorOf([&] { JobClient(serverIn(folder_->path())).jobs(); });
        QVERIFY2(message.startsWith("No job server is running at '"), qPrintable(message));
        QVERIFY2(errorOf([&] { serverIn(path("elsewhere")); }).startsWith("No job server has run"),
                 qPrintable(message));
        QVERIFY(!fs::exists(path("elsewhere")));
    }

    void aSocketThatTheSystemClosesIsOpenedAgain() {
        ServerAddress onPort{{}, server_->port().value(), serverIn(folder_->path()).token};
        QCOMPARE(shutListeners(), 2);
        for (const ServerAddress& address : {serverIn(folder_->path()), onPort}) {
            QTRY_COMPARE(errorOf([&] { QVERIFY(JobClient(address).jobs().empty()); }),
                         "(no error)");
        }
    }

    void aPathThatIsTooLongForASocketIsNamed() {
        const JobFolder folder(path(std::string(120, 'x').c_str()));
        JobQueue queue(folder, [](int64_t) -> pid_t { return -1; });
        const QString message =
            errorOf([&] { const JobServer server(folder, queue, std::nullopt); });
        QVERIFY2(message.contains("at most 107 are possible"), qPrintable(message));
    }

    void aPortThatIsTakenIsNamed() {
        const JobFolder folder(path("second"));
        JobQueue queue(folder, [](int64_t) -> pid_t { return -1; });
        const int port = server_->port().value();
        const QString message = errorOf([&] { const JobServer server(folder, queue, port); });
        QVERIFY2(message.startsWith("Nothing can listen on port " + QString::number(port)),
                 qPrintable(message));
    }

private:
    fs::path path(const char* name) const { return dir_->filePath(name).toStdString(); }

    fs::path makeProject(const char* name) const {
        writeProject({findLesson("xor").spec, {}}, path(name));
        return fs::canonical(path(name));
    }
    static RunEvent stepEvent(int64_t step) { return {0.5, StepEvent{step, 0.5, 1, 1e-3, 2, 8}}; }
    template <typename F>
    static QString errorOf(F&& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.what();
        }
        return "(no error)";
    }

    /// Ends all sockets of this process that listen, as the system may; returns how many.
    static int shutListeners() {
        int count = 0;
        for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
            const int socket = std::stoi(entry.path().filename());
            int listens = 0;
            socklen_t size = sizeof listens;
            if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) continue;
            if (listens != 0 && ::shutdown(socket, SHUT_RDWR) == 0) ++count;
        }
        return count;
    }

    /// What the server answers to these bytes.
    QByteArray rawAnswer(const QByteArray& request) const {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, folder_->socket().c_str(), sizeof address.sun_path - 1);
        const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const timeval patience{.tv_sec = 10, .tv_usec = 0};
        ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        QByteArray answer;
        if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
            [[maybe_unused]] const ssize_t put = ::send(
                socket, request.constData(), static_cast<size_t>(request.size()), MSG_NOSIGNAL);
            char buffer[4096];
            ssize_t got = 0;
            while ((got = ::recv(socket, buffer, sizeof buffer, 0)) > 0) answer.append(buffer, got);
        }
        ::close(socket);
        return answer;
    }

    std::unique_ptr<QTemporaryDir> dir_;
    std::unique_ptr<JobFolder> folder_;
    std::unique_ptr<JobQueue> queue_;
    std::unique_ptr<JobServer> server_;
    std::unique_ptr<JobClient> client_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::JobServerTest)
#include "job_server_test.moc"
