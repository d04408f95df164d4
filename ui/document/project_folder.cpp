// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/project_folder.h"

#include <QDateTime>
#include <QDir>
#include <filesystem>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/project_file.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

namespace fs = std::filesystem;

constexpr auto kLockName = ".temper.lock";

/// False: it can only be copied, to another file system.
bool renameTo(const fs::path& to, const fs::path& from) {
    std::error_code error;
    fs::rename(from, to, error);
    return !error;
}

void copyTo(const fs::path& to, const fs::path& from) {
    std::error_code error;
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error)
        throw Error(ErrorCode::Io, "'" + from.string() + "' could not be moved to '" + to.string() +
                                       "': " + error.message() + ".");
}

/// What the runs were made from is named relative to the folder of their history.
void relocateSpecs(const fs::path& from, const fs::path& to) {
    RunStore(runStorePath(to)).rewriteSpecs([&](const StoredRun& run) {
        try {
            return run.spec.empty() ? run.spec : toJson(projectFromJson(run.spec, from), to);
        } catch (const Error&) {
            return run.spec;  // e.g. of a newer program
        }
    });
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

void ProjectFolder::remove() {
    lock_.unlock();
    QDir(path_).removeRecursively();
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
    std::vector<fs::path> copied;
    // The history last: it changes while the checkpoints are copied.
    for (const char* name : {"runs", "runs.sqlite-shm", "runs.sqlite-wal", "runs.sqlite"}) {
        if (!fs::exists(source / name) || renameTo(target / name, source / name)) continue;
        copyTo(target / name, source / name);
        copied.push_back(source / name);
    }
    // Only now: had one of them not fitted, the source would still have all.
    std::error_code error;
    for (const fs::path& path : copied) fs::remove_all(path, error);
    if (fs::exists(runStorePath(target))) relocateSpecs(source, target);
}

}  // namespace temper::ui
