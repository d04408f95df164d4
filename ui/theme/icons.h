// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace temper::ui {

/// The SVG `:/icons/<name>.svg`, drawn sharply at any size in the application's text colour, so
/// that it follows the theme; `color` sets a fixed one.
QIcon themedIcon(const QString& name, const QColor& color = {});

/// The same in the palette's colour for text on the accent colour.
QIcon accentIcon(const QString& name);

}  // namespace temper::ui
