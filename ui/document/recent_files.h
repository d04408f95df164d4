// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

class QSettings;

namespace temper::ui {

/// The files opened last, the latest first, kept in the settings. Pinned files come first and stay.
class RecentFiles : public QObject {
    Q_OBJECT
public:
    static constexpr int kLimit = 20;  ///< of unpinned files

    explicit RecentFiles(QSettings& settings, QObject* parent = nullptr);

    /// Pinned files first.
    QStringList paths() const { return pinned_ + paths_; }
    bool isPinned(const QString& path) const { return pinned_.contains(path); }
    void setPinned(const QString& path, bool pinned);
    void add(const QString& path);
    void remove(const QString& path);
    /// Removes all but the pinned files.
    void clear();
    bool canClear() const { return !paths_.isEmpty(); }

signals:
    void changed();

private:
    void store();

    QSettings& settings_;
    QStringList paths_, pinned_;
};

}  // namespace temper::ui
