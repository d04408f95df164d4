// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_edit.h"

#include <QLocale>
#include <QStyle>
#include <cmath>

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
                                   : numberText(value));
    check();
}

bool NumberEdit::parse(double& value) const {
    bool ok = false;
    value =
        QLocale::c().toDouble(text().trimmed().replace(QLatin1Char(','), QLatin1Char('.')), &ok);
    if (!ok || !std::isfinite(value)) return false;
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
    setToolTip(good
                   ? QString()
                   : tr("A number from %1 to %2.").arg(numberText(minimum_), numberText(maximum_)));
}

void NumberEdit::commit() {
    double value = 0;
    if (!parse(value)) return setValue(value_);
    if (value == value_) return;
    value_ = value;
    emit valueEdited(value);
}

}  // namespace temper::ui
