// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/character_mark.h"

#include <QApplication>
#include <QInputMethodEvent>
#include <QTextCharFormat>

#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

constexpr char kProperty[] = "markedCharacter";

}  // namespace

/// Input method formats are the only way to draw parts of a field differently.
void markCharacter(QLineEdit& field, std::optional<int> position) {
    field.setProperty(kProperty, position ? QVariant(*position) : QVariant());
    QList<QInputMethodEvent::Attribute> attributes;
    if (position) {
        const Colors& colors = colorsOf(field.palette());
        QTextCharFormat format;
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(colors.bad);
        format.setForeground(colors.bad);
        format.setFontWeight(QFont::Bold);
        attributes.append(QInputMethodEvent::Attribute(
            QInputMethodEvent::TextFormat, *position - field.cursorPosition(), 1, format));
    }
    QInputMethodEvent event(QString(), attributes);
    QApplication::sendEvent(&field, &event);
}

std::optional<int> markedCharacter(const QLineEdit& field) {
    const QVariant position = field.property(kProperty);
    return position.isValid() ? std::optional<int>(position.toInt()) : std::nullopt;
}

}  // namespace temper::ui
