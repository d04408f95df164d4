// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/file_manager_link.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>

#include "ui/commands/navigator.h"

namespace temper::ui {
namespace {

const QString kFileManager = QStringLiteral("org.freedesktop.FileManager1");
const QString kFileManagerPath = QStringLiteral("/org/freedesktop/FileManager1");

void openFolderOf(const QString& file) {
    QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(file).absolutePath()));
}

}  // namespace

FileManagerLink::FileManagerLink(Navigator& navigator, const QDBusConnection& bus) : bus_(bus) {
    connect(&navigator, &Navigator::folderRequested, this, &FileManagerLink::show);
}

/// The answer may take as long as the file manager takes to start; the window doesn't wait for it.
void FileManagerLink::show(const QString& file) {
    if (!bus_.isConnected()) return openFolderOf(file);
    QDBusMessage call = QDBusMessage::createMethodCall(kFileManager, kFileManagerPath, kFileManager,
                                                       QStringLiteral("ShowItems"));
    const QUrl url = QUrl::fromLocalFile(QFileInfo(file).absoluteFilePath());
    call << QStringList{url.toString(QUrl::FullyEncoded)} << QString();
    auto* answer = new QDBusPendingCallWatcher(bus_.asyncCall(call), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [answer, file] {
        answer->deleteLater();
        if (answer->isError()) openFolderOf(file);
    });
}

}  // namespace temper::ui
