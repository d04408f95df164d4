// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_edit.h"

#include <QLocale>
#include <QStyle>
#include <algorithm>
#include <cmath>

#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

const QString kPercent = QStringLiteral(" %");

}  // namespace

QString numberText(double value) { return QLocale::c().toString(value, 'g', 6); }

NumberEdit::NumberEdit(Kind kind, double minimum, double maximum, QWidget* parent)
    : QLineEdit(parent), kind_(kind), minimum_(minimum), maximum_(maximum) {
    connect(this, &QLineEdit::textEdited, this, &NumberEdit::check);
    connect(this, &QLineEdit::editingFinished, this, &NumberEdit::commit);
}

void NumberEdit::setWord(double value, const QString& word) {
    worded_ = value;
    word_ = word;
    setValue(value_);
}

QSize NumberEdit::minimumSizeHint() const {
    const QFontMetrics letters = fontMetrics();
    const QSize least = QLineEdit::minimumSizeHint();  // of one letter
    const int more = letters.horizontalAdvance(placeholderText()) - letters.maxWidth();
    return {least.width() + std::max(0, more), least.height()};
}

void NumberEdit::setValue(double value) {
    value_ = value;
    setText(textOf(value));
    shown_ = text();
    check();
}

QString NumberEdit::textOf(double value) const {
    if (emptyValue_ == value) return {};
    if (!word_.isEmpty() && value == worded_) return word_;
    switch (kind_) {
        case Kind::Integer: return QString::number(static_cast<qlonglong>(value));
        case Kind::Share: return fieldText(100 * value) + kPercent;
        case Kind::Real: break;
    }
    return fieldText(value);
}

bool NumberEdit::parse(double& value) const {
    QString number = text().trimmed();
    if (emptyValue_ && number.isEmpty()) {
        value = *emptyValue_;
        return true;
    }
    if (!word_.isEmpty() && number.compare(word_, Qt::CaseInsensitive) == 0) {
        value = worded_;
        return true;
    }
    const bool isPercent = kind_ == Kind::Share && number.endsWith(QLatin1Char('%'));
    if (isPercent) number.chop(1);
    std::optional<double> typed = typedNumber(number);
    if (!typed || !std::isfinite(*typed)) return false;
    if (isPercent) typed = *typed / 100;
    value = *typed;
    if (kind_ == Kind::Integer && value != std::floor(value)) return false;
    return value >= minimum_ && value <= maximum_;
}

void NumberEdit::check() {
    double value = 0;
    const bool good = parse(value);
    if (property("invalid").toBool() == good) {
        setProperty("invalid", !good);
        style()->polish(this);
    }
    setToolTip(good ? QString() : expectation());
}

QString NumberEdit::expectation() const {
    if (kind_ == Kind::Share)
        return tr("A share from %1 to %2, such as 80 % or %3.")
            .arg(textOf(minimum_), textOf(maximum_), fieldText(0.8));
    const QString range =
        tr("A number from %1 to %2.").arg(fieldText(minimum_), fieldText(maximum_));
    return word_.isEmpty() ? range : tr("%1 %2: %3.").arg(range, fieldText(worded_), word_);
}

void NumberEdit::commit() {
    if (text() == shown_) return;  // it may have fewer digits than the value
    double value = 0;
    if (!parse(value)) {
        const QString why = tr("“%1” is not valid. %2").arg(text().trimmed(), expectation());
        setValue(value_);
        return emit refused(why);
    }
    shown_ = text();
    if (value == value_) return;
    value_ = value;
    emit valueEdited(value);
}

}  // namespace temper::ui
