// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace temper::ui {

/// The SVG `:/icons/<name>.svg`, drawn sharp at any size in the colour of the application's
/// text, so that it follows the theme; `color` fixes another one.
QIcon themedIcon(const QString& name, const QColor& color = {});

/// The same in the colour that the application's palette has for text on accent colour.
QIcon accentIcon(const QString& name);

}  // namespace temper::ui
