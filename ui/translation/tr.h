// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

namespace temper::ui {

/// The equivalent of QObject::tr() for functions outside classes: lupdate files their texts under
/// the namespace. `n`: the number that replaces %n and selects singular or plural.
inline QString tr(const char* source, const char* comment = nullptr, int n = -1) {
    return QCoreApplication::translate("temper::ui", source, comment, n);
}

}  // namespace temper::ui
