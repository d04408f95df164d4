// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <mutex>

#include "engine/core/error.h"
#include "engine/jobs/request_pipe.h"

namespace temper::test {

using Kind = JobRequest::Kind;

/// Requests to running jobs: as JSON, and through the pipe of a job.
class JobRequestTest : public QObject {
    Q_OBJECT

private slots:
    void requestsSurviveJson_data() {
        QTest::addColumn<JobRequest>("request");
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("pause") << JobRequest{Kind::Pause} << QByteArray(R"({"request":"pause"})");
        QTest::newRow("resume") << JobRequest{Kind::Resume}
                                << QByteArray(R"({"request":"resume"})");
        QTest::newRow("step") << JobRequest{Kind::Step} << QByteArray(R"({"request":"step"})");
        QTest::newRow("stop") << JobRequest{Kind::Stop} << QByteArray(R"({"request":"stop"})");
        QTest::newRow("now") << JobRequest{Kind::StopNow}
                             << QByteArray(R"({"request":"stop-now"})");
        QTest::newRow("epoch") << JobRequest{Kind::StopAfterEpoch}
                               << QByteArray(R"({"request":"stop-after-epoch"})");
        QTest::newRow("rate") << JobRequest{Kind::Rate, 0.125}
                              << QByteArray(R"({"request":"rate","value":0.125})");
        QTest::newRow("schedule") << JobRequest{Kind::Schedule}
                                  << QByteArray(R"({"request":"schedule"})");
        QTest::newRow("pace") << JobRequest{Kind::Pace, 3}
                              << QByteArray(R"({"request":"pace","value":3.0})");
        QTest::newRow("checkpoint")
            << JobRequest{Kind::Checkpoint, 0, "try-1.ckpt"}
            << QByteArray(R"({"request":"checkpoint","name":"try-1.ckpt"})");
    }
    void requestsSurviveJson() {
        QFETCH(JobRequest, request);
        QFETCH(QByteArray, json);
        QCOMPARE(QByteArray::fromStdString(toJson(request)), json);
        QVERIFY(jobRequestFromJson(json.toStdString()) == request);
    }

    void whatIsNotARequestIsRefused_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* json, const char* message) {
            QTest::newRow(name) << json << message;
        };
        row("nothing", "", "The message is not valid");
        row("a list", "[]", "The message is not valid");
        row("unknown", R"({"request":"dance"})", "The request 'dance' is unknown.");
        row("no rate", R"({"request":"rate"})", "The message has no 'value'.");
        row("rate 0", R"({"request":"rate","value":0})",
            "The learning rate is 0; expected a positive number.");
        row("infinite", R"({"request":"rate","value":1e999})", "");
        row("negative pace", R"({"request":"pace","value":-1})",
            "The pace is -1; expected a number of steps");
        row("parent", R"({"request":"checkpoint","name":"../x.ckpt"})", "'../x.ckpt' can't be");
        row("hidden", R"({"request":"checkpoint","name":".ckpt"})", "'.ckpt' can't be");
        row("other ending", R"({"request":"checkpoint","name":"x.onnx"})", "'x.onnx' can't be");
        row("newline", R"({"request":"checkpoint","name":"x\n.ckpt"})", "can't be");
    }
    void whatIsNotARequestIsRefused() {
        QFETCH(QString, json);
        QFETCH(QString, message);
        try {
            jobRequestFromJson(json.toStdString());
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY2(error.code() == ErrorCode::InvalidInput && !error.hint().empty() &&
                         QString(error.what()).contains(message),
                     error.what());
        }
    }

    void aPipePassesRequestsOn() {
        Received received;
        const std::filesystem::path path = file("pipe");
        QVERIFY(!sendRequest(path, {Kind::Pause}));  // nobody listens
        {
            const RequestPipe pipe(path, received.taker());
            QVERIFY(sendRequest(path, {Kind::Pause}));
            QVERIFY(sendRequest(path, {Kind::Rate, 0.5}));
            QTRY_COMPARE(received.count(), 2);
            QVERIFY(received.at(0) == JobRequest{Kind::Pause});
            QVERIFY(received.at(1) == (JobRequest{Kind::Rate, 0.5}));
        }
        QVERIFY(!sendRequest(path, {Kind::Pause}));
        QVERIFY(!QFile::exists(QString::fromStdString(path.string())));
    }

    void linesOfOthersAreSkipped() {
        Received received;
        const std::filesystem::path path = file("noise");
        const RequestPipe pipe(path, received.taker());
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        const QByteArray noise = "no request\n" + QByteArray(10'000, 'x') + "\n\n";
        QCOMPARE(::write(descriptor, noise.constData(), static_cast<size_t>(noise.size())),
                 static_cast<ssize_t>(noise.size()));
        ::close(descriptor);
        QVERIFY(sendRequest(path, {Kind::Step}));
        QTRY_COMPARE(received.count(), 1);
        QVERIFY(received.at(0) == JobRequest{Kind::Step});
    }

    void aPipeThatAKilledProcessLeftIsReplaced() {
        const std::filesystem::path path = file("left");
        QFile left(QString::fromStdString(path.string()));
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.close();
        Received received;
        const RequestPipe pipe(path, received.taker());
        QVERIFY(sendRequest(path, {Kind::Stop}));
        QTRY_COMPARE(received.count(), 1);
    }

private:
    class Received {
    public:
        std::function<void(const JobRequest&)> taker() {
            return [this](const JobRequest& request) {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request);
            };
        }
        int count() {
            const std::lock_guard lock(mutex_);
            return static_cast<int>(requests_.size());
        }
        JobRequest at(size_t index) {
            const std::lock_guard lock(mutex_);
            return requests_.at(index);
        }

    private:
        std::mutex mutex_;
        std::vector<JobRequest> requests_;
    };

    std::filesystem::path file(const char* name) const { return dir_.filePath(name).toStdString(); }
    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::JobRequestTest)
#include "job_request_test.moc"
