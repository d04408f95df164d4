// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_texts.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QStyleOptionComboBox>

#include "tests/ui/shown_texts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/shrinking_button.h"

namespace temper::ui {
namespace {

int fieldWidth(const QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    return box.style()
        ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box)
        .width();
}

int textWidth(const QComboBox& box) {
    return box.fontMetrics().horizontalAdvance(box.currentText());
}

/// Paths are longer than any window.
bool isPath(const QString& text) { return text.contains('/'); }

/// Without room for its text, the button shows none.
bool isShrunk(const QAbstractButton& button) {
    const auto* shrinking = qobject_cast<const ShrinkingButton*>(&button);
    return shrinking != nullptr && shrinking->toolButtonStyle() == Qt::ToolButtonIconOnly;
}

}  // namespace

QStringList cutTexts(const QWidget& root) {
    QStringList found;
    const auto look = [&](const QWidget& widget, const QString& text) {
        if (text.isEmpty() || widget.width() >= widget.sizeHint().width()) return;
        found << QString("%1 \"%2\": %3 of %4")
                     .arg(nameForMessages(widget), text)
                     .arg(widget.width())
                     .arg(widget.sizeHint().width());
    };
    for (const auto* button : root.findChildren<QAbstractButton*>())
        if (button->isVisibleTo(&root) && !button->objectName().startsWith("qt_") &&
            !isShrunk(*button))
            look(*button, button->text());
    for (const auto* box : root.findChildren<QComboBox*>())
        if (box->isVisibleTo(&root) && !box->isEditable() && fieldWidth(*box) < textWidth(*box))
            found << nameForMessages(*box) + ' ' + box->currentText();
    for (const auto* label : root.findChildren<QLabel*>())
        if (label->isVisibleTo(&root) && !label->wordWrap() && !isPath(label->text()) &&
            qobject_cast<const ElidedLabel*>(label) == nullptr)
            look(*label, label->text());
    return found;
}

}  // namespace temper::ui
