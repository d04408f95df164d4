// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/view_file.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>

#include "engine/core/file.h"

namespace temper::ui {
namespace {

QString pathIn(const QString& folder) { return QDir(folder).filePath(QStringLiteral("view.json")); }

}  // namespace

QJsonObject readView(const QString& folder) {
    QFile file(pathIn(folder));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

void writeView(const QJsonObject& view, const QString& folder) {
    writeFileAtomically(pathIn(folder).toStdString(), QJsonDocument(view).toJson().toStdString());
}

}  // namespace temper::ui
