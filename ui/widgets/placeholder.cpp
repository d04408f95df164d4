// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/placeholder.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr double kIcon = 2.6;  ///< in line heights

}  // namespace

Placeholder::Placeholder(const QString& icon, const QString& sentence, const QString& button,
                         QWidget* parent)
    : QWidget(parent),
      iconName_(icon),
      icon_(new QLabel(this)),
      sentence_(makeLabel(sentence, "muted", this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(em(this, 0.6));
    layout->addStretch(1);
    icon_->setAlignment(Qt::AlignCenter);
    layout->addWidget(icon_);
    sentence_->setAlignment(Qt::AlignCenter);
    sentence_->setWordWrap(true);
    layout->addWidget(sentence_);
    if (!button.isEmpty()) {
        button_ = new QPushButton(button, this);
        connect(button_, &QPushButton::clicked, this, &Placeholder::triggered);
        layout->addWidget(button_, 0, Qt::AlignHCenter);
    }
    layout->addStretch(1);
    applyColors();
}

void Placeholder::setSentence(const QString& sentence) { sentence_->setText(sentence); }

void Placeholder::setButtonVisible(bool visible) {
    if (button_ != nullptr) button_->setVisible(visible);
}

/// A low place has room only for the words.
void Placeholder::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const QMargins margins = layout()->contentsMargins();
    const int width = this->width() - margins.left() - margins.right();
    int needed = margins.top() + margins.bottom() + em(this, kIcon) + layout()->spacing() +
                 sentence_->heightForWidth(width);
    if (button_ != nullptr) needed += layout()->spacing() + button_->sizeHint().height();
    icon_->setVisible(height() >= needed);
}

void Placeholder::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) applyColors();
    QWidget::changeEvent(event);
}

void Placeholder::applyColors() {
    const int size = em(this, kIcon);
    icon_->setPixmap(themedIcon(iconName_, colorsOf(palette()).muted).pixmap(size, size));
}

}  // namespace temper::ui
