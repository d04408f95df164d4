// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace temper::ui {
namespace {

constexpr auto kKey = "recentFiles";

}  // namespace

RecentFiles::RecentFiles(QSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings), paths_(settings.value(kKey).toStringList()) {}

void RecentFiles::add(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    paths_.removeAll(absolute);
    paths_.prepend(absolute);
    while (paths_.size() > kLimit) paths_.removeLast();
    store();
}

void RecentFiles::remove(const QString& path) {
    if (paths_.removeAll(path) > 0) store();
}

void RecentFiles::clear() {
    paths_.clear();
    store();
}

void RecentFiles::store() {
    settings_.setValue(kKey, paths_);
    emit changed();
}

}  // namespace temper::ui
