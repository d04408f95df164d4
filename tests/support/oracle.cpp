// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QStandardPaths>

namespace temper::test {
namespace {

constexpr int kTimeoutMilliseconds = 300'000;

QDir oracleFolder() {
    const QString given = qEnvironmentVariable("TEMPER_ORT_ORACLE");
    return QDir(given.isEmpty() ? QStringLiteral(TEMPER_BINARY_DIR "/../ort-oracle") : given);
}

QString node() { return QStandardPaths::findExecutable(QStringLiteral("node")); }

/// The scripts' process, which stays: to load the runtime takes seconds. Ends with the test.
class OracleServer {
public:
    ~OracleServer() { stop(); }

    OracleResult run(const QString& script, const QStringList& arguments) {
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
        process_.start(node(),
                       {QStringLiteral(TEMPER_SOURCE_DIR "/tests/support/oracle_server.mjs"),
                        oracleFolder().absolutePath()});
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
};

}  // namespace

bool oracleIsThere() {
    const QDir folder = oracleFolder();
    return !node().isEmpty() && QFileInfo::exists(folder.filePath("train.mjs")) &&
           QFileInfo::exists(folder.filePath("node_modules/onnxruntime-web"));
}

OracleResult runOracle(const QString& script, const QStringList& arguments) {
    static OracleServer server;
    return server.run(script, arguments);
}

}  // namespace temper::test
