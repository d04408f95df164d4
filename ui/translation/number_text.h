// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <cstdint>

namespace temper::ui {

/// A number as the language writes it: "0,125" in German. For what is shown; formulas, files and
/// lists have points. `format` and `precision` are QString::number()'s.
inline QString decimalText(double value, char format, int precision) {
    return QLocale().toString(value, format, precision);
}

/// With the language's separators: "1,437" in English.
inline QString integerText(int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

}  // namespace temper::ui
