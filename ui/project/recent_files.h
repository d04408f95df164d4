// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

class QSettings;

namespace temper::ui {

/// The files opened last, the latest first, kept in the settings.
class RecentFiles : public QObject {
    Q_OBJECT
public:
    static constexpr int kLimit = 20;

    explicit RecentFiles(QSettings& settings, QObject* parent = nullptr);

    const QStringList& paths() const { return paths_; }
    void add(const QString& path);
    void remove(const QString& path);
    void clear();

signals:
    void changed();

private:
    void store();

    QSettings& settings_;
    QStringList paths_;
};

}  // namespace temper::ui
