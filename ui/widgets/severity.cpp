// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/severity.h"

#include <QGuiApplication>

#include "ui/theme/colors.h"
#include "ui/theme/icons.h"

namespace temper::ui {

QIcon severityIcon(Severity severity) {
    const Colors& colors = currentColors();
    switch (severity) {
        case Severity::Error: return themedIcon(QStringLiteral("error"), colors.bad);
        case Severity::Warning: return themedIcon(QStringLiteral("warning"), colors.attention);
        case Severity::Info: break;
    }
    return themedIcon(QStringLiteral("info"), colors.accent);
}

}  // namespace temper::ui
