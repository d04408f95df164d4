// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>
#include <QString>
#include <QTest>

namespace temper::test {

/// Runs a script in bash, in the root of the repository. Returns: its output; fails the test unless
/// it exits 0.
inline QString bashOutput(const QString& script) {
    QProcess bash;
    bash.setWorkingDirectory(QStringLiteral(TEMPER_SOURCE_DIR));
    bash.start(QStringLiteral("bash"), {QStringLiteral("-euc"), script});
    bash.waitForFinished(300000);
    const bool fine = bash.exitStatus() == QProcess::NormalExit && bash.exitCode() == 0;
    if (!fine) QTest::qFail(bash.readAllStandardError().constData(), __FILE__, __LINE__);
    return QString::fromUtf8(bash.readAllStandardOutput());
}

/// Whether a program of this name is on the PATH.
inline bool hasProgram(const QString& name) {
    return !bashOutput("command -v " + name + " || true").isEmpty();
}

}  // namespace temper::test
