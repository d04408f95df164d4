// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QObject>

namespace temper::ui {

class Navigator;

/// Shows files in the desktop's file manager: selected, by org.freedesktop.FileManager1. Without a
/// bus, or a file manager that answers there, their folder is opened.
class FileManagerLink : public QObject {
    Q_OBJECT
public:
    /// `navigator` must outlive it.
    FileManagerLink(Navigator& navigator, const QDBusConnection& bus);

private:
    void show(const QString& file);

    QDBusConnection bus_;
};

}  // namespace temper::ui
