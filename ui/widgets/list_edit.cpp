// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/list_edit.h"

#include <QLocale>
#include <QStyle>

#include "ui/widgets/number_edit.h"

namespace temper::ui {

ListEdit::ListEdit(double minimum, double maximum, QWidget* parent)
    : QLineEdit(parent), minimum_(minimum), maximum_(maximum) {
    connect(this, &QLineEdit::textEdited, this, &ListEdit::check);
    connect(this, &QLineEdit::editingFinished, this, &ListEdit::commit);
}

void ListEdit::setValues(std::vector<double> values) {
    if (values == values_ && hasFocus() && text() != shown_) return;  // being typed
    values_ = std::move(values);
    showValues();
}

void ListEdit::showValues() {
    QStringList texts;
    for (const double value : values_) texts << QLocale::c().toString(value, 'g', 10);
    setText(texts.join(QStringLiteral(", ")));
    shown_ = text();
    check();
}

std::optional<std::vector<double>> ListEdit::parse() const {
    std::vector<double> values;
    for (const QString& part : text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty()) continue;
        bool ok = false;
        const double value = QLocale::c().toDouble(part.trimmed(), &ok);
        if (!ok || !(value >= minimum_ && value <= maximum_)) return std::nullopt;
        values.push_back(value);
    }
    return values;
}

void ListEdit::check() {
    const bool good = parse().has_value();
    if (property("invalid").toBool() == good) {
        setProperty("invalid", !good);
        style()->polish(this);
    }
    setToolTip(good ? QString()
                    : tr("Numbers from %1 to %2, separated by commas.")
                          .arg(numberText(minimum_), numberText(maximum_)));
}

void ListEdit::commit() {
    if (text() == shown_) return;
    const std::optional<std::vector<double>> values = parse();
    if (!values || *values == values_) return showValues();
    values_ = *values;
    shown_ = text();
    emit valuesEdited(values_);
}

}  // namespace temper::ui
