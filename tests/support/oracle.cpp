// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QProcessEnvironment>
#include <cstdio>

namespace temper::test {
namespace {

constexpr int kTimeoutMilliseconds = 300'000;

QDir oracleFolder() {
    const QString given = qEnvironmentVariable("TEMPER_ORT_ORACLE");
    return QDir(given.isEmpty() ? QStringLiteral(TEMPER_BINARY_DIR "/../ort-oracle") : given);
}

QString python() { return oracleFolder().absoluteFilePath("bin/python"); }

/// tests/support/setup_oracle.sh writes it last.
QString installedMark() { return oracleFolder().absoluteFilePath("ort-oracle-installed"); }

/// The scripts' process, which keeps running: loading the runtime takes longer than most scripts.
class OracleServer {
public:
    OracleServer() = default;
    OracleServer(const OracleServer&) = delete;
    OracleServer& operator=(const OracleServer&) = delete;
    ~OracleServer() {
        stop();
        // tools/common.sh adds these up.
        std::printf("ONNX Runtime ran %d scripts\n", calls_);
    }

    OracleResult run(const QString& script, const QStringList& arguments) {
        ++calls_;
        start();
        const QJsonObject call{{"script", script},
                               {"arguments", QJsonArray::fromStringList(arguments)}};
        process_.write(QJsonDocument(call).toJson(QJsonDocument::Compact) + '\n');
        while (!process_.canReadLine())
            if (!process_.waitForReadyRead(kTimeoutMilliseconds)) return failed();
        const QJsonObject answer = QJsonDocument::fromJson(process_.readLine()).object();
        OracleResult result;
        result.exitStatus = answer["exitStatus"].toInt(-1);
        result.output = QJsonDocument::fromJson(answer["stdout"].toString().toUtf8()).object();
        result.log = answer["stderr"].toString();
        return result;
    }

private:
    void start() {
        if (process_.state() != QProcess::NotRunning) return;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PYTHONDONTWRITEBYTECODE", "1");  // the scripts are among the sources
        process_.setProcessEnvironment(environment);
        process_.start(python(),
                       {QStringLiteral(TEMPER_SOURCE_DIR "/tests/support/oracle/server.py")});
    }

    /// The next run starts a new process.
    OracleResult failed() {
        OracleResult result;
        result.log = process_.errorString() + '\n' + process_.readAllStandardError();
        process_.kill();
        process_.waitForFinished();
        return result;
    }

    void stop() {
        process_.closeWriteChannel();
        if (process_.state() != QProcess::NotRunning && !process_.waitForFinished())
            process_.kill();
    }

    QProcess process_;
    int calls_ = 0;
};

}  // namespace

bool oracleIsThere() { return QFileInfo::exists(python()) && QFileInfo::exists(installedMark()); }

OracleResult runOracle(const QString& script, const QStringList& arguments) {
    static OracleServer server;
    return server.run(script, arguments);
}

}  // namespace temper::test
