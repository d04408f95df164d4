// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace temper::ui {
namespace {

constexpr auto kKey = "recentFiles";
constexpr auto kPinnedKey = "pinnedFiles";

}  // namespace

RecentFiles::RecentFiles(QSettings& settings, QObject* parent)
    : QObject(parent),
      settings_(settings),
      paths_(settings.value(kKey).toStringList()),
      pinned_(settings.value(kPinnedKey).toStringList()) {}

void RecentFiles::add(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (isPinned(absolute)) return;
    paths_.removeAll(absolute);
    paths_.prepend(absolute);
    while (paths_.size() > kLimit) paths_.removeLast();
    store();
}

void RecentFiles::remove(const QString& path) {
    if (paths_.removeAll(path) + pinned_.removeAll(path) > 0) store();
}

void RecentFiles::setPinned(const QString& path, bool pinned) {
    if (pinned == isPinned(path)) return;
    QStringList& from = pinned ? paths_ : pinned_;
    QStringList& to = pinned ? pinned_ : paths_;
    from.removeAll(path);
    pinned ? to.append(path) : to.prepend(path);
    store();
}

void RecentFiles::clear() {
    paths_.clear();
    store();
}

void RecentFiles::store() {
    settings_.setValue(kKey, paths_);
    settings_.setValue(kPinnedKey, pinned_);
    emit changed();
}

}  // namespace temper::ui
