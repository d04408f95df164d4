// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/banner.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

namespace temper::ui {

Banner::Banner(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      title_(new QLabel(this)),
      message_(new QLabel(this)),
      action_(new QPushButton(this)) {
    action_->setObjectName(QStringLiteral("bannerAction"));
    setObjectName(QStringLiteral("banner"));
    auto* row = new QHBoxLayout(this);
    row->addWidget(icon_, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(em(this, 0.15));
    title_->setProperty("role", "heading");
    for (QLabel* label : {title_, message_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    row->addLayout(column, 1);
    row->addWidget(action_, 0, Qt::AlignVCenter);
    auto* close = new QToolButton(this);
    close->setAutoRaise(true);
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setAccessibleName(tr("Close message"));
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(action_, &QPushButton::clicked, this, &Banner::actionTriggered);
    hide();
}

void Banner::show(Kind kind, const Problem& message, const QString& action) {
    kind_ = kind;
    title_->setText(message.title);
    title_->setVisible(!message.title.isEmpty());
    QString body = message.message;
    if (!message.hint.isEmpty()) body += QLatin1Char('\n') + message.hint;
    message_->setText(body);
    message_->setVisible(!body.isEmpty());
    action_->setText(action);
    action_->setVisible(!action.isEmpty());
    applyColors();
    QFrame::show();
}

QString Banner::text() const { return title_->text() + QLatin1Char('\n') + message_->text(); }

void Banner::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && !applying_) applyColors();
    QFrame::changeEvent(event);
}

void Banner::applyColors() {
    // Its own palette has the background of its stylesheet.
    const Colors& colors = colorsOf(QGuiApplication::palette());
    const QColor color = kind_ == Kind::Good        ? colors.good
                         : kind_ == Kind::Attention ? colors.attention
                         : kind_ == Kind::Bad       ? colors.bad
                                                    : colors.accent;
    const QString icon = kind_ == Kind::Good   ? QStringLiteral("check")
                         : kind_ == Kind::Info ? QStringLiteral("info")
                                               : QStringLiteral("warning");
    const int size = em(this, 1.2);
    icon_->setPixmap(themedIcon(icon, color).pixmap(size, size));
    applying_ = true;
    setStyleSheet(QStringLiteral("#banner { background: %1; border: 1px solid %2;"
                                 " border-radius: 8px; }")
                      .arg(blend(colors.surface, color, 0.1).name(),
                           blend(colors.surface, color, 0.45).name()));
    applying_ = false;
}

}  // namespace temper::ui
