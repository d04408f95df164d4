// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <cstdint>
#include <optional>

namespace temper::ui {

/// A number in the format of the language: "0,125" in German. For display; formulas, files and
/// lists have points. `format` and `precision` are QString::number()'s.
inline QString decimalText(double value, char format, int precision) {
    return QLocale().toString(value, format, precision);
}

/// An integer with the language's separators: "1,437" in English.
inline QString integerText(int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

/// A number in an editable field: "0,001" if the language has a decimal comma. Digits and exponents
/// are plain, so that typedNumber() can read them.
QString fieldText(double value);

/// A number as typed by the user, with a point or a comma in any language. No value if it is not a
/// number, and for "1,000" if that may mean a thousand: it does not guess.
std::optional<double> typedNumber(const QString& text);

}  // namespace temper::ui
