// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "engine/core/file.h"
#include "engine/jobs/access_token.h"
#include "engine/jobs/job_folder.h"
#include "engine/jobs/job_process.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_log.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/jobs/connect_dialog.h"
#include "ui/docks/jobs/job_model.h"
#include "ui/docks/jobs/jobs_dock.h"
#include "ui/run/attached_run.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

QAction* actionOf(WindowDriver& driver, const QString& id) {
    return driver.window().work().commands.action(id);
}

JobsDock& dockOf(WindowDriver& driver) { return *driver.window().findChild<JobsDock*>("jobsDock"); }

/// The first job in the list; waiting if there is none.
JobStatus firstJob(WindowDriver& driver) {
    const JobStatus* job = dockOf(driver).model()->job(0);
    return job != nullptr ? *job : JobStatus{};
}

/// Step and loss of each point.
using Points = std::vector<std::pair<double, double>>;

Points shownPoints(WindowDriver& driver) {
    Points points;
    for (const auto& point : driver.run().loss().points()) points.emplace_back(point.x, point.y);
    return points;
}

Points pointsInLog(const std::filesystem::path& project) {
    Points points;
    for (const RunEvent& event : readRunEvents(runLogPath(project / "runs/0001"))) {
        if (const auto* step = std::get_if<StepEvent>(&event.fact))
            points.emplace_back(static_cast<double>(step->step), step->loss);
    }
    return points;
}

/// `temper serve`, killed with the object. The thread sanitizer does not survive how a QProcess
/// starts programs.
class ServerProcess {
public:
    ServerProcess(const QStringList& options, QString output) : output_(std::move(output)) {
        std::vector<std::string> arguments{TEMPER_PROGRAM, "serve"};
        for (const QString& option : options) arguments.push_back(option.toStdString());
        process_ = startDetached(std::move(arguments), output_.toStdString());
    }
    ~ServerProcess() { end(SIGKILL); }
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    QByteArray output() const {
        QFile file(output_);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void send(int signal) const { ::kill(process_, signal); }
    /// Returns: whether it has ended.
    bool end(int signal) {
        if (!isRunning()) return true;
        send(signal);
        return QTest::qWaitFor([this] { return !isRunning(); }, kPatienceMs);
    }

private:
    bool isRunning() {
        if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) process_ = 0;
        return process_ > 0;
    }

    QString output_;
    pid_t process_ = 0;
};

}  // namespace

/// Jobs of a server in the window: `temper serve` is the program itself.
class JobsTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        state_ = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", state_->path().toUtf8());
        qputenv("XDG_DATA_HOME", state_->filePath("data").toUtf8());
    }
    void cleanup() {
        if (server_) server_->end(SIGTERM);
        server_.reset();
    }

    void aJobIsShownLeftAndShownAgain() {
        startServer();
        WindowDriver driver;
        QVERIFY(addJob(driver, 1'000'000));
        const std::filesystem::path project = firstJob(driver).job.project;
        actionOf(driver, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        QVERIFY(driver.window().work().controller.attached() != nullptr);
        actionOf(driver, "jobs.detach")->trigger();
        QVERIFY(!driver.run().isActive());
        const qsizetype left = static_cast<qsizetype>(shownPoints(driver).size());
        // It goes on without the window.
        QTRY_VERIFY_WITH_TIMEOUT(firstJob(driver).step > left + 3, kPatienceMs);
        QCOMPARE(static_cast<qsizetype>(shownPoints(driver).size()), left);
        QElapsedTimer sinceAttached;
        sinceAttached.start();
        actionOf(driver, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > left + 3, kPatienceMs);
        qInfo("shown %lld ms after attaching", static_cast<long long>(sinceAttached.elapsed()));
        actionOf(driver, "jobs.stop")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Stopped, kPatienceMs);
        QCOMPARE(shownPoints(driver), pointsInLog(project));
        QCOMPARE(shownPoints(driver).size(), static_cast<size_t>(driver.run().step()));
    }

    /// Such a project is in a folder that may go.
    void anUntitledProjectIsSavedFirst() {
        startServer();
        WindowDriver driver;
        QVERIFY(driver.openLesson("xor"));
        emit driver.window().work().navigator.dockRequested("jobs");
        QAction* add = actionOf(driver, "jobs.add");
        QTRY_VERIFY_WITH_TIMEOUT(add->isEnabled(), kPatienceMs);
        add->trigger();
        QTest::qWait(300);
        QCOMPARE(dockOf(driver).model()->rowCount(), 0);
        QVERIFY(dockOf(driver).findChild<QPushButton*>("saveForJob") != nullptr);
    }

    /// As long as its runs have to move, its folder does not stay either.
    void aProjectSavedDuringARunIsAddedAfterIt() {
        startServer();
        WindowDriver driver;
        QVERIFY(driver.openLesson("xor"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 1'000'000;
        driver.project().edit("Epochs", spec);
        emit driver.window().work().navigator.dockRequested("jobs");
        QAction* add = actionOf(driver, "jobs.add");
        QTRY_VERIFY_WITH_TIMEOUT(add->isEnabled(), kPatienceMs);
        driver.window().work().training.start()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        const QString place = driver.filePath("place");
        driver.project().saveAs(place);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().store().hasPlace(), kPatienceMs);
        add->trigger();
        QVERIFY2(driver.message().contains("The runs are not in the project's folder yet"),
                 qPrintable(driver.message()));
        QTest::qWait(300);
        QCOMPARE(dockOf(driver).model()->rowCount(), 0);
        driver.window().work().training.stop()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), place, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(add->isEnabled(), kPatienceMs);
        add->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(dockOf(driver).model()->rowCount(), 1, kPatienceMs);
        QVERIFY(firstJob(driver).job.project == place.toStdString());
    }

    void theJobObeysTheWindow() {
        startServer();
        WindowDriver driver;
        QVERIFY(addJob(driver, 1'000'000));
        actionOf(driver, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        actionOf(driver, "training.pause")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Paused, kPatienceMs);
        const int64_t step = driver.run().step();
        actionOf(driver, "training.step")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().step(), step + 1, kPatienceMs);
        driver.window().work().controller.setLearningRate(0.0078125);
        actionOf(driver, "training.step")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().step(), step + 2, kPatienceMs);
        QCOMPARE(driver.run().lastStep()->learningRate, 0.0078125);
        actionOf(driver, "training.pause")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Running, kPatienceMs);
        actionOf(driver, "training.stop")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Stopped, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(stateOf(firstJob(driver)) == JobState::Stopped, kPatienceMs);
        QVERIFY(std::filesystem::exists(firstJob(driver).job.project / "runs/0001/last.ckpt"));
    }

    void aServerThatIsGoneForAWhileCostsNoPoint() {
        startServer();
        WindowDriver driver;
        QVERIFY(addJob(driver, 600));
        const std::filesystem::path project = firstJob(driver).job.project;
        actionOf(driver, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        QVERIFY(server_->end(SIGKILL));
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("The job server does not answer"),
                                 kPatienceMs);
        startServer();
        QTRY_VERIFY_WITH_TIMEOUT(!driver.message().contains("does not answer"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
        QCOMPARE(shownPoints(driver), pointsInLog(project));
    }

    void aJobOfAnotherMachineIsShownWithACopyOfItsProject() {
        startServer({"--port", "0"});
        WindowDriver driver;
        QVERIFY(addJob(driver, 300));
        const std::filesystem::path project = firstJob(driver).job.project;
        // Another person's window, elsewhere.
        WindowDriver other;
        emit other.window().work().navigator.dockRequested("jobs");
        QVERIFY(other.click("otherServer"));
        auto* dialog = other.window().findChild<ConnectDialog*>();
        QVERIFY(dialog != nullptr);
        auto* connect = dialog->findChild<QPushButton*>("connectButton");
        auto* place = dialog->findChild<QLineEdit*>("serverPlace");
        place->setText("~/far.socket");  // as ssh is told in a shell
        QCOMPARE(QString::fromStdString(dialog->address().socket.string()),
                 QDir::homePath() + "/far.socket");
        place->setText(QString::number(port_));
        auto* token = dialog->findChild<QLineEdit*>("serverToken");
        token->setText("something else");
        QVERIFY(!connect->isEnabled());
        token->setText(QString::fromStdString(readToken(folder().token())));
        QVERIFY(connect->isEnabled());
        connect->click();
        QTRY_COMPARE_WITH_TIMEOUT(dockOf(other).model()->rowCount(), 1, kPatienceMs);
        QTRY_VERIFY(actionOf(other, "jobs.attach")->isEnabled());
        actionOf(other, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(other.run().state() == RunState::Finished, kPatienceMs);
        QCOMPARE(shownPoints(other), pointsInLog(project));
        const QString copy = other.project().store().folder();
        QVERIFY2(!copy.isEmpty() && copy != QString::fromStdString(project.string()),
                 qPrintable(copy));
        QVERIFY(other.project().model() != nullptr);
    }

    void strangersSeeNothing() {
        startServer({"--port", "0"});
        WindowDriver driver;
        QVERIFY(addJob(driver, 1));
        WindowDriver stranger;
        emit stranger.window().work().navigator.dockRequested("jobs");
        dockOf(stranger).connectTo({{}, port_, std::string(64, '0')});
        QTRY_COMPARE_WITH_TIMEOUT(dockOf(stranger).explanation(),
                                  "The job server does not accept the token.", kPatienceMs);
        QCOMPARE(dockOf(stranger).model()->rowCount(), 0);
        QVERIFY(!actionOf(stranger, "jobs.attach")->isEnabled());
    }

    void openingAnotherModelLeavesTheJobAlone() {
        startServer();
        WindowDriver driver;
        QVERIFY(addJob(driver, 1'000'000));
        actionOf(driver, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        emit driver.window().work().navigator.lessonRequested("iris");
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain() && !driver.run().isActive(),
                                 kPatienceMs);
        QVERIFY(driver.window().findChild<QDialog*>("runningDialog") == nullptr);
        QVERIFY(driver.window().work().controller.attached() == nullptr);
        const int64_t step = firstJob(driver).step;
        QTRY_VERIFY_WITH_TIMEOUT(firstJob(driver).step > step, kPatienceMs);
        // From here, showing the job opens its project again.
        actionOf(driver, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Running, kPatienceMs);
        actionOf(driver, "training.stopNow")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Stopped, kPatienceMs);
    }

    /// The job goes on, so nothing is asked; a run that begins after that has its own question.
    void closingTheWindowLeavesTheJob() {
        WindowDriver driver;
        RunController& controller = driver.window().work().controller;
        controller.attach({"/nonexistent", 0, std::string(64, '0')}, 1);
        QVERIFY(driver.run().isActive());
        QVERIFY(driver.window().close());
        QVERIFY(!driver.window().isVisible());
        QVERIFY(controller.attached() == nullptr && !driver.run().isActive());
        driver.window().show();
        QVERIFY(driver.openLesson("xor"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 1'000'000;
        driver.project().edit("Epochs", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        actionOf(driver, "training.start")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        QVERIFY(!driver.window().close());
        QVERIFY(driver.window().isVisible() && driver.run().isActive());
        auto* question = driver.window().findChild<QDialog*>("runningDialog");
        QVERIFY(question != nullptr);
        question->reject();
    }

    /// The first of them waits for the answer of a server that is slow, the second for the first.
    void requestsAreSentThoughTheWindowCloses_data() {
        QTest::addColumn<QString>("group");
        QTest::newRow("of the list") << "jobs";
        QTest::newRow("of the job in the window") << "training";
    }
    void requestsAreSentThoughTheWindowCloses() {
        QFETCH(QString, group);
        startServer();
        WindowDriver driver;
        QVERIFY(addJob(driver, 1'000'000));
        actionOf(driver, "jobs.attach")->trigger();
        const QList<QAction*> commands = {actionOf(driver, group + ".pause"),
                                          actionOf(driver, group + ".stop")};
        const auto canBeAsked = [&commands] {
            return std::ranges::all_of(commands, &QAction::isEnabled);
        };
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3 && canBeAsked(), kPatienceMs);
        server_->send(SIGSTOP);
        const std::jthread waker([this] {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            server_->send(SIGCONT);
        });
        for (QAction* command : commands) command->trigger();
        QVERIFY(driver.window().close());
        driver.reopen();
        emit driver.window().work().navigator.dockRequested("jobs");
        QTRY_VERIFY_WITH_TIMEOUT(stateOf(firstJob(driver)) == JobState::Stopped, kPatienceMs);
    }

    void withoutAServerTheDockOffersToStartOne() {
        WindowDriver driver;
        emit driver.window().work().navigator.dockRequested("jobs");
        QCOMPARE(dockOf(driver).explanation(), QString("No job server runs on this machine."));
        QVERIFY(!actionOf(driver, "jobs.add")->isEnabled());
    }

    /// Pictures for people to look at.
    void theDockAndItsDialogInLightAndDark() {
        startServer();
        WindowDriver driver;
        QVERIFY(addJob(driver, 1'000'000));
        actionOf(driver, "jobs.add")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(dockOf(driver).model()->rowCount(), 2, kPatienceMs);
        actionOf(driver, "jobs.attach")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 300, kPatienceMs);
        actionOf(driver, "training.pause")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(stateOf(firstJob(driver)) == JobState::Paused, kPatienceMs);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            QTest::qWait(200);
            QVERIFY(driver.window().grab().save(pictureFile("jobs-" + themeKey(mode))));
        }
        QVERIFY(driver.click("otherServer"));
        auto* dialog = driver.window().findChild<QDialog*>("connectDialog");
        QVERIFY(dialog != nullptr);
        QVERIFY(dialog->grab().save(pictureFile("jobs-other-machine")));
        dialog->reject();
        actionOf(driver, "jobs.stop")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Stopped, kPatienceMs);
    }

    /// Others change the list at any time: what is stopped is the job that was selected.
    void theSelectedJobStaysSelected() {
        JobModel model;
        const auto job = [](int64_t id) {
            JobStatus status;
            status.job.id = id;
            return status;
        };
        model.setJobs({job(3), job(5)});
        QCOMPARE(model.rowOf(5), 1);
        model.setJobs({job(5)});
        QCOMPARE(model.rowOf(5), 0);
        QCOMPARE(model.rowOf(3), -1);
        QVERIFY(model.job(1) == nullptr && model.job(-1) == nullptr);
    }

private:
    static JobFolder folder() { return JobFolder(JobFolder::standard()); }

    void startServer(const QStringList& options = {}) {
        server_ = std::make_unique<ServerProcess>(options, state_->filePath("server.txt"));
        QTRY_VERIFY_WITH_TIMEOUT(server_->output().contains("token"), kPatienceMs);
        const QByteArray out = server_->output();
        const qsizetype at = out.indexOf("127.0.0.1:");
        port_ = at < 0 ? 0 : out.mid(at + 10).simplified().split(' ').front().toInt();
    }

    /// Puts a run of a lesson into the queue, as a person does.
    bool addJob(WindowDriver& driver, int64_t epochs) {
        if (!driver.openLesson("xor")) return false;
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = epochs;
        driver.project().edit("Epochs", spec);
        driver.project().saveAs(driver.filePath("project"));
        const auto isReady = [&] {
            return driver.project().isReadyToTrain() && driver.project().store().hasPlace();
        };
        if (!QTest::qWaitFor(isReady, kPatienceMs)) return false;
        emit driver.window().work().navigator.dockRequested("jobs");
        QAction* add = actionOf(driver, "jobs.add");
        if (!QTest::qWaitFor([&] { return add->isEnabled(); }, kPatienceMs)) return false;
        add->trigger();
        return QTest::qWaitFor([&] { return dockOf(driver).model()->rowCount() == 1; },
                               kPatienceMs) &&
               QTest::qWaitFor([&] { return actionOf(driver, "jobs.attach")->isEnabled(); },
                               kPatienceMs);
    }

    std::unique_ptr<QTemporaryDir> state_;
    std::unique_ptr<ServerProcess> server_;
    int port_ = 0;
};

QTEST_MAIN(JobsTest)
#include "jobs_test.moc"
