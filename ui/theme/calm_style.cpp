// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/calm_style.h"

#include <QApplication>

namespace temper::ui {

CalmStyle::CalmStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

int CalmStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* data) const {
    if (hint == SH_Widget_Animate || hint == SH_Widget_Animation_Duration) return 0;
    return QProxyStyle::styleHint(hint, option, widget, data);
}

bool desktopIsCalm() {
    return QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration) == 0;
}

}  // namespace temper::ui
