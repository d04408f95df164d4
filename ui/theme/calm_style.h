// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace temper::ui {

/// Fusion without animations: for people whom motion distracts or makes ill.
class CalmStyle : public QProxyStyle {
public:
    CalmStyle();

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
};

/// Whether the desktop requests less motion.
bool desktopIsCalm();

}  // namespace temper::ui
