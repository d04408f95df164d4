// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <cstdint>
#include <optional>

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

/// A number in a field that people edit: "0,001" in German, never with separators of thousands.
inline QString fieldText(double value) {
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return locale.toString(value, 'g', 6);
}

/// A number as people type it, with a point or a comma whatever the language; nothing where it is
/// none.
inline std::optional<double> typedNumber(const QString& text) {
    bool isNumber = false;
    const double number = QLocale::c().toDouble(
        text.trimmed().replace(QLatin1Char(','), QLatin1Char('.')), &isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

}  // namespace temper::ui
