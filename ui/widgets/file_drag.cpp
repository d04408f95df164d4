// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/file_drag.h"

#include <QUrl>

namespace temper::ui {
namespace {

constexpr char kUrlList[] = "text/uri-list";

}  // namespace

QString fileNameOf(const QString& given) {
    QString name = given;
    for (QChar& character : name)
        if (QStringLiteral("/\\:*?\"<>|").contains(character) || !character.isPrint())
            character = '_';
    while (name.startsWith('.')) name[0] = '_';
    return name;
}

FilesMimeData::FilesMimeData(std::vector<LazyFile> files) : files_(std::move(files)) {
    QList<QUrl> urls;
    for (const LazyFile& file : files_) urls << QUrl::fromLocalFile(file.path);
    setUrls(urls);
}

QVariant FilesMimeData::retrieveData(const QString& type, QMetaType preferred) const {
    if (type != QLatin1String(kUrlList)) return QMimeData::retrieveData(type, preferred);
    if (!std::exchange(isWritten_, true)) {
        for (const LazyFile& file : files_)
            if (!file.write(file.path)) failed_ << file.path;
    }
    QVariantList urls;
    for (const LazyFile& file : files_)
        if (!failed_.contains(file.path)) urls << QUrl::fromLocalFile(file.path);
    return urls;
}

}  // namespace temper::ui
