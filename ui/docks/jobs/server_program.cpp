// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/jobs/server_program.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include "engine/core/error.h"
#include "engine/jobs/job_folder.h"

namespace temper::ui {
namespace {

constexpr int kPatienceMs = 20'000;

QString programPath() {
    const QString name = QStringLiteral("temper");
    const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(name);
    return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
}

}  // namespace

std::optional<ServerAddress> ownServer() {
    const JobFolder folder(JobFolder::standard());
    if (!std::filesystem::exists(folder.token())) return std::nullopt;
    return serverIn(folder.path());
}

ServerAddress startOwnServer() {
    const QString program = programPath();
    if (program.isEmpty()) {
        throw Error(ErrorCode::NotFound, "The program 'temper' was not found.",
                    "Install Debian's package temper, or start `temper serve` yourself.");
    }
    QProcess process;
    process.start(program, {QStringLiteral("serve"), QStringLiteral("--background")});
    const bool hasEnded = process.waitForFinished(kPatienceMs);
    if (!hasEnded || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
        throw Error(ErrorCode::Io, "The job server did not start: " +
                                       process.readAllStandardError().trimmed().toStdString());
    }
    return serverIn(JobFolder::standard());
}

}  // namespace temper::ui
