// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QMap>
#include <QObject>
#include <QTimer>

namespace temper::ui {

/// Says when one of some files was changed by others: once for each change, after it has come to
/// rest, also where the file was replaced by another of its name.
class FileWatch : public QObject {
    Q_OBJECT
public:
    explicit FileWatch(QObject* parent = nullptr);

    /// Files in place of those watched so far; what does not exist is left out.
    void setFiles(const QStringList& paths);
    /// The file's state now is the one that is known: after writing it oneself.
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
    void check();

    QFileSystemWatcher watcher_;
    QTimer rest_;
    QMap<QString, State> known_;
};

}  // namespace temper::ui
