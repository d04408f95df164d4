// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/fold.h"

#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/theme/theme.h"

namespace temper::ui {

Fold::Fold(const QString& title, QWidget* content, QWidget* parent)
    : QWidget(parent), button_(new QToolButton(this)), content_(content) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button_->setAutoRaise(true);
    button_->setFocusPolicy(Qt::StrongFocus);
    layout->addWidget(button_, 0, Qt::AlignLeft);
    layout->addWidget(content_);
    connect(button_, &QToolButton::clicked, this, [this] { setOpen(!isOpen_); });
    setTitle(title);
    setOpen(false);
}

void Fold::setTitle(const QString& title) {
    button_->setText(title);
    button_->setAccessibleName(title);
}

void Fold::setOpen(bool open) {
    isOpen_ = open;
    content_->setVisible(open);
    button_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    button_->setAccessibleDescription(open ? tr("Open; closes what is below")
                                           : tr("Closed; opens what is below"));
}

void Fold::openIfNeeded(bool isNeeded, int document) {
    const bool isOther = std::exchange(document_, document) != document;
    const bool wasNeeded = std::exchange(isNeeded_, isNeeded);
    if (isOther || (isNeeded && !wasNeeded)) setOpen(isNeeded);
}

}  // namespace temper::ui
