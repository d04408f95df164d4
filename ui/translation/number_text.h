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

/// A number in a field that people edit: "0,001" where the language has such a comma. Digits and
/// exponents are plain, so that typedNumber() takes them back.
QString fieldText(double value);

/// A number as people type it, with a point or a comma whatever the language. Nothing where it is
/// none, and for "1,000" where that may be a thousand: it is not for us to guess.
std::optional<double> typedNumber(const QString& text);

}  // namespace temper::ui
