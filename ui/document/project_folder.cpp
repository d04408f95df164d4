// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/project_folder.h"

#include <QDateTime>
#include <QDir>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

namespace fs = std::filesystem;

constexpr auto kLockName = ".temper.lock";

void move(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) return;
    // Another file system: copied, then removed.
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error)
        throw Error(ErrorCode::Io, "'" + from.string() + "' could not be moved to '" + to.string() +
                                       "': " + error.message() + ".");
    fs::remove_all(from, error);
}

}  // namespace

ProjectFolder::ProjectFolder(const QString& path, bool isScratch)
    : path_(path), isScratch_(isScratch), lock_(QDir(path).filePath(kLockName)) {}

std::unique_ptr<ProjectFolder> ProjectFolder::open(const QString& path, bool isScratch) {
    ensureFolder(path.toStdString());
    std::unique_ptr<ProjectFolder> folder(new ProjectFolder(QDir(path).absolutePath(), isScratch));
    folder->lock();
    return folder;
}

std::unique_ptr<ProjectFolder> ProjectFolder::makeScratch(const QString& root) {
    const QString stem = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    QString name = stem;
    for (int number = 2; QFileInfo::exists(QDir(root).filePath(name)); ++number)
        name = QStringLiteral("%1-%2").arg(stem).arg(number);
    return open(QDir(root).filePath(name), true);
}

std::optional<qint64> ProjectFolder::holderOf(const QString& path) {
    const QLockFile lock(QDir(path).filePath(kLockName));
    qint64 process = 0;
    QString host, application;
    if (!lock.getLockInfo(&process, &host, &application)) return std::nullopt;
    // The lock of a dead process is stale, even if another process now has its number.
    const QFileInfo program(QStringLiteral("/proc/%1/exe").arg(process));
    const bool isAlive = host != QSysInfo::machineHostName() ||
                         QFileInfo(program.symLinkTarget()).fileName() == application;
    return isAlive ? std::optional(process) : std::nullopt;
}

void ProjectFolder::lock() {
    // The lock of a dead process is stale at once, however recent it is.
    lock_.setStaleLockTime(0);
    if (lock_.tryLock(0)) return;
    qint64 process = 0;
    QString host, application;
    if (lock_.error() != QLockFile::LockFailedError ||
        !lock_.getLockInfo(&process, &host, &application))
        throw Error(ErrorCode::Io, tr("The project '%1' can't be locked.").arg(path_).toStdString(),
                    tr("Check that you may write to the folder.").toStdString());
    throw Error(ErrorCode::State,
                tr("The project '%1' is already open: %2, process %3 on %4.")
                    .arg(path_, application)
                    .arg(process)
                    .arg(host)
                    .toStdString(),
                tr("Close it there first, or save a copy there under another name.").toStdString());
}

void moveRuns(const QString& from, const QString& to) {
    const fs::path source = from.toStdString(), target = to.toStdString();
    for (const char* name : {"runs.sqlite", "runs.sqlite-wal", "runs.sqlite-shm", "runs"})
        if (fs::exists(source / name)) move(source / name, target / name);
}

}  // namespace temper::ui
