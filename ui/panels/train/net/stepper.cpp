// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/net/stepper.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

Stepper::Stepper(const QString& less, const QString& more, QWidget* parent)
    : QWidget(parent),
      lessText_(less),
      moreText_(more),
      less_(makeButton(QStringLiteral("minus"), less, -1)),
      label_(makeLabel({}, "", this)),
      more_(makeButton(QStringLiteral("plus"), more, 1)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(em(this, 0.2));
    label_->setAlignment(Qt::AlignCenter);
    for (QWidget* part : {static_cast<QWidget*>(less_), static_cast<QWidget*>(label_),
                          static_cast<QWidget*>(more_)})
        row->addWidget(part);
}

QToolButton* Stepper::makeButton(const QString& icon, const QString& what, int by) {
    auto* button = new QToolButton(this);
    button->setObjectName(by < 0 ? QStringLiteral("less") : QStringLiteral("more"));
    button->setIcon(themedIcon(icon));
    button->setAutoRaise(true);
    button->setToolTip(what);
    button->setAccessibleName(what);
    connect(button, &QToolButton::clicked, this, [this, by] { emit stepped(by); });
    return button;
}

void Stepper::setText(const QString& text) { label_->setText(text); }

void Stepper::setEnabled(bool less, bool more) {
    less_->setEnabled(less);
    more_->setEnabled(more);
}

void Stepper::setObstacle(const QString& why) {
    less_->setToolTip(why.isEmpty() ? lessText_ : why);
    more_->setToolTip(why.isEmpty() ? moreText_ : why);
}

}  // namespace temper::ui
