// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

namespace temper::ui {

/// What QObject::tr() is to classes, for functions that belong to none: lupdate files their texts
/// under the namespace. `n` is the number that %n stands for and that decides singular and plural.
inline QString tr(const char* source, const char* comment = nullptr, int n = -1) {
    return QCoreApplication::translate("temper::ui", source, comment, n);
}

}  // namespace temper::ui
