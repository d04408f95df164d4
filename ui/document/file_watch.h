// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QMap>
#include <QObject>
#include <QTimer>

namespace temper::ui {

/// Reports changes of files by other programs: once per change, after it has settled, even if the
/// file was replaced by another of the same name. A file that was missing changes by appearing.
class FileWatch : public QObject {
    Q_OBJECT
public:
    explicit FileWatch(QObject* parent = nullptr);

    /// Replaces the watched files, as they are now; folders are left out.
    void setFiles(const QStringList& paths);
    /// Takes the file's current state as known: call after writing it oneself.
    void acknowledge(const QString& path);

signals:
    void changed(const QString& path);

private:
    struct State {
        QDateTime time;
        qint64 size = 0;
        bool operator==(const State&) const = default;
    };
    static State stateOf(const QString& path);
    void watch(const QString& path);
    void check();

    QFileSystemWatcher watcher_;
    QTimer rest_;
    QMap<QString, State> known_;
    QStringList unreported_;  ///< changes that were found
};

}  // namespace temper::ui
