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
    for (const QString& path : paths) {
        const QFileInfo info(path);
        if (!info.isFile()) continue;
        known_[path] = stateOf(path);
        // The folder reports the replacement of a file, which ends the watch of the file itself.
        watcher_.addPaths({path, info.absolutePath()});
    }
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
        if (!QFileInfo::exists(entry.key())) continue;  // deleted, or about to be replaced
        const State now = stateOf(entry.key());
        if (now == entry.value()) continue;
        entry.value() = now;
        if (!watcher_.files().contains(entry.key())) watcher_.addPath(entry.key());
        emit changed(entry.key());
    }
}

}  // namespace temper::ui
