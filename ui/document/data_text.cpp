// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/data_text.h"

#include <QFileInfo>
#include <cmath>
#include <optional>

#include "engine/training/projects/lesson.h"
#include "ui/messages/problem.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

const QString kLessonPrefix = QStringLiteral("lesson:");

/// No value for what can't be read: opening it reports why.
std::optional<DataSpec> parsed(const std::string& spec) {
    try {
        return parseDataSpec(spec, lessonFiles());
    } catch (const Error&) {
        return std::nullopt;
    }
}

QString nameIn(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    return name.isEmpty() ? path : name;
}

}  // namespace

QString dataPlaceText(const std::string& spec) {
    const auto data = parsed(spec);
    if (!data) return text(spec);
    const QString path = text(data->path);
    return path.startsWith(kLessonPrefix) ? tr("%1, from the lesson").arg(nameIn(path)) : path;
}

QString dataText(const std::string& spec) {
    const auto data = parsed(spec);
    if (!data) return text(spec);
    const QString name = nameIn(text(data->path));
    try {
        const std::optional<double> share = data->number("split");
        if (share) return tr("%1, %2 % to train").arg(name).arg(std::lround(100 * *share));
    } catch (const Error&) {  // opening it reports why
        return name;
    }
    return name;
}

}  // namespace temper::ui
