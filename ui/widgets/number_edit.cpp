// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_edit.h"

#include <QLocale>
#include <QStyle>
#include <cmath>

#include "ui/translation/number_text.h"

namespace temper::ui {

QString numberText(double value) { return QLocale::c().toString(value, 'g', 6); }

NumberEdit::NumberEdit(Kind kind, double minimum, double maximum, QWidget* parent)
    : QLineEdit(parent), kind_(kind), minimum_(minimum), maximum_(maximum) {
    connect(this, &QLineEdit::textEdited, this, &NumberEdit::check);
    connect(this, &QLineEdit::editingFinished, this, &NumberEdit::commit);
}

void NumberEdit::setValue(double value) {
    value_ = value;
    setText(kind_ == Kind::Integer ? QString::number(static_cast<qlonglong>(value))
                                   : fieldText(value));
    shown_ = text();
    check();
}

bool NumberEdit::parse(double& value) const {
    const std::optional<double> typed = typedNumber(text());
    if (!typed || !std::isfinite(*typed)) return false;
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
    setToolTip(good ? QString()
                    : tr("A number from %1 to %2.").arg(fieldText(minimum_), fieldText(maximum_)));
}

void NumberEdit::commit() {
    if (text() == shown_) return;  // it may have fewer digits than the value
    double value = 0;
    if (!parse(value)) return setValue(value_);
    shown_ = text();
    if (value == value_) return;
    value_ = value;
    emit valueEdited(value);
}

}  // namespace temper::ui
