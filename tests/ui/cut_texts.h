// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QWidget;

namespace temper::ui {

/// Visible buttons, choices and labels of one line below `root` that are narrower than their texts.
QStringList cutTexts(const QWidget& root);

}  // namespace temper::ui
