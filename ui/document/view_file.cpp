// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/view_file.h"

#include <QDir>
#include <QJsonDocument>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace temper::ui {
namespace {

QString pathIn(const QString& folder) { return QDir(folder).filePath(QStringLiteral("view.json")); }

}  // namespace

QJsonObject readView(const QString& folder) {
    try {
        const std::string json = readFile(pathIn(folder).toStdString());
        return QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    } catch (const Error&) {  // the window keeps its initial state
        return {};
    }
}

void writeView(const QJsonObject& view, const QString& folder) {
    writeFileAtomically(pathIn(folder).toStdString(), QJsonDocument(view).toJson().toStdString());
}

}  // namespace temper::ui
