// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include <QDir>
#include <QFileInfo>
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

}  // namespace

bool oracleIsThere() {
    const QDir folder = oracleFolder();
    return !node().isEmpty() && QFileInfo::exists(folder.filePath("train.mjs")) &&
           QFileInfo::exists(folder.filePath("node_modules/onnxruntime-web"));
}

OracleResult runOracle(const QString& script, const QStringList& arguments) {
    QProcess process;
    process.start(node(), QStringList{oracleFolder().filePath(script)} + arguments);
    OracleResult result;
    if (!process.waitForFinished(kTimeoutMilliseconds)) {
        process.kill();
        process.waitForFinished();
        result.log = process.errorString();
        return result;
    }
    if (process.exitStatus() == QProcess::NormalExit) result.exitStatus = process.exitCode();
    result.output = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    result.log = QString::fromUtf8(process.readAllStandardError());
    return result;
}

}  // namespace temper::test
