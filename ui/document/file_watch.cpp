// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/file_watch.h"

#include <QFileInfo>

namespace temper::ui {
namespace {

/// Files are written in pieces: a change counts after this time without further changes.
constexpr std::chrono::milliseconds kRest{300};

}  // namespace

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
    rest_.setSingleShot(true);
    rest_.setInterval(kRest);
    connect(&rest_, &QTimer::timeout, this, &FileWatch::check);
    const auto restart = [this] { rest_.start(); };
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, restart);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, restart);
}

void FileWatch::setFiles(const QStringList& paths) {
    const QStringList old = watcher_.files() + watcher_.directories();
    if (!old.isEmpty()) watcher_.removePaths(old);
    known_.clear();
    unreported_.clear();
    for (const QString& path : paths) {
        if (path.isEmpty() || QFileInfo(path).isDir()) continue;
        known_[path] = stateOf(path);
        watch(path);
    }
}

/// The folder reports that a file appears or is replaced, which ends the watch of the file itself;
/// of a missing folder, the nearest one above it does.
void FileWatch::watch(const QString& path) {
    if (QFileInfo::exists(path)) watcher_.addPath(path);
    QString folder = QFileInfo(path).absolutePath();
    while (!QFileInfo(folder).isDir()) {
        const QString above = QFileInfo(folder).absolutePath();
        if (above.size() >= folder.size()) return;
        folder = above;
    }
    watcher_.addPath(folder);
}

void FileWatch::acknowledge(const QString& path) {
    if (known_.contains(path)) known_[path] = stateOf(path);
}

FileWatch::State FileWatch::stateOf(const QString& path) {
    const QFileInfo info(path);
    return {info.lastModified(), info.size()};
}

void FileWatch::check() {
    for (auto entry = known_.begin(); entry != known_.end(); ++entry) {
        watch(entry.key());
        if (!QFileInfo::exists(entry.key())) continue;  // deleted, or about to be replaced
        const State now = stateOf(entry.key());
        if (now == entry.value()) continue;
        entry.value() = now;
        unreported_ << entry.key();
    }
    while (!unreported_.isEmpty()) emit changed(unreported_.takeFirst());
}

}  // namespace temper::ui
