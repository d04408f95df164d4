// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/translation/number_text.h"

#include <QRegularExpression>

namespace temper::ui {
namespace {

constexpr QLatin1Char kPoint('.'), kComma(',');

/// "1,000" in English, "1.000" in German.
bool mayBeGrouped(const QString& text) {
    static const QRegularExpression kCommas(QStringLiteral("^[+-]?[1-9]\\d{0,2}(,\\d{3})+$"));
    static const QRegularExpression kPoints(QStringLiteral("^[+-]?[1-9]\\d{0,2}(\\.\\d{3})+$"));
    const bool isComma = QLocale().decimalPoint() == kComma;
    return (isComma ? kPoints : kCommas).match(text).hasMatch();
}

}  // namespace

QString fieldText(double value) {
    QString text = QLocale::c().toString(value, 'g', 6);
    if (QLocale().decimalPoint() == kComma) text.replace(kPoint, kComma);
    return text;
}

std::optional<double> typedNumber(const QString& text) {
    QString plain = text.trimmed();
    if (mayBeGrouped(plain)) return std::nullopt;
    bool isNumber = false;
    const double number = QLocale::c().toDouble(plain.replace(kComma, kPoint), &isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

}  // namespace temper::ui
