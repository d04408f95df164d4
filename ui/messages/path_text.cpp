// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/path_text.h"

#include <QRegularExpression>

namespace temper::ui {

QString pathText(const QString& path) {
    // As ProjectFolder::makeScratch() names it.
    static const QRegularExpression kUntitled(
        QStringLiteral("^.*/\\d{8}-\\d{6}(-\\d+)?/(?<inside>.+)$"));
    const QRegularExpressionMatch match = kUntitled.match(path);
    return match.hasMatch() ? match.captured(QStringLiteral("inside")) : path;
}

}  // namespace temper::ui
