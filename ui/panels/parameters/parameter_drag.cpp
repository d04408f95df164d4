// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/parameter_drag.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QMimeData>

#include "ui/messages/problem.h"

namespace temper::ui {

std::unique_ptr<QMimeData> parameterMimeData(const std::vector<std::string>& names) {
    QStringList list;
    for (const std::string& name : names) list << text(name);
    auto data = std::make_unique<QMimeData>();
    data->setData(QLatin1String(kParametersMimeType),
                  QJsonDocument(QJsonArray::fromStringList(list)).toJson(QJsonDocument::Compact));
    data->setText(list.join('\n'));
    return data;
}

std::set<std::string> draggedParameters(const QMimeData& data) {
    std::set<std::string> names;
    const QByteArray json = data.data(QLatin1String(kParametersMimeType));
    for (const QJsonValue& name : QJsonDocument::fromJson(json).array())
        if (name.isString()) names.insert(name.toString().toStdString());
    return names;
}

}  // namespace temper::ui
