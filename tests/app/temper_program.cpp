// SPDX-License-Identifier: Apache-2.0
#include "tests/app/temper_program.h"

#include <signal.h>

#include <QJsonDocument>
#include <QProcessEnvironment>
#include <QRegularExpression>

namespace temper::test {
namespace {

constexpr int kTimeoutMilliseconds = 300'000;

ProgramResult run(const QString& program, const QStringList& arguments, const QString& folder) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TEMPER", TEMPER_PROGRAM);
    process.setProcessEnvironment(environment);
    if (!folder.isEmpty()) process.setWorkingDirectory(folder);
    process.start(program, arguments);
    ProgramResult result;
    if (!process.waitForFinished(kTimeoutMilliseconds)) {
        process.kill();
        process.waitForFinished();
        return result;
    }
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    if (process.exitStatus() == QProcess::NormalExit) result.exitStatus = process.exitCode();
    return result;
}

/// Whether a message shows a line break as a backslash and a letter: the next line lacks its
/// indent.
bool hasEscapedLineBreak(const QByteArray& text) {
    static const QRegularExpression pattern(QStringLiteral(R"(\\n[A-Za-z])"));
    return QString::fromUtf8(text).contains(pattern);
}

}  // namespace

QJsonObject ProgramResult::json() const {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(out, &error);
    return error.error == QJsonParseError::NoError ? document.object() : QJsonObject();
}

QByteArray ProgramResult::all() const {
    return "exit status " + QByteArray::number(exitStatus) + "\n" + out.right(2000) + "\n" +
           err.right(2000);
}

ProgramResult runTemper(const QStringList& arguments, const QString& folder) {
    return run(TEMPER_PROGRAM, arguments, folder);
}

ProgramResult runShell(const QString& command, const QString& folder) {
    return run("/bin/sh", {"-c", command}, folder);
}

bool sendSignal(const QProcess& process, int signal) {
    const auto id = static_cast<pid_t>(process.processId());
    return id > 0 && ::kill(id, signal) == 0;
}

bool isFriendlyError(const ProgramResult& result) {
    const bool named = result.err.startsWith("error: ") || result.err.contains("\nerror: ");
    return named && !result.err.contains("terminate called") &&
           !result.err.contains("Internal error") && !hasEscapedLineBreak(result.err);
}

QString conformance(const QString& path) {
    return QStringLiteral(TEMPER_CONFORMANCE_DIR "/") + path;
}

}  // namespace temper::test
