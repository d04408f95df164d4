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
      actions_(new QHBoxLayout) {
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
    row->addLayout(actions_);
    auto* close = new QToolButton(this);
    close->setAutoRaise(true);
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setAccessibleName(tr("Close message"));
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void Banner::show(Kind kind, const Problem& message, const QString& action) {
    if (action.isEmpty()) return show(kind, message, std::vector<BannerAction>{});
    show(kind, message,
         {{QStringLiteral("bannerAction"), action, [this] { emit actionTriggered(); }}});
}

void Banner::show(Kind kind, const Problem& message, const std::vector<BannerAction>& actions) {
    kind_ = kind;
    title_->setText(message.title);
    title_->setVisible(!message.title.isEmpty());
    QString body = message.message;
    if (!message.hint.isEmpty()) body += QLatin1Char('\n') + message.hint;
    message_->setText(body);
    message_->setVisible(!body.isEmpty());
    setActions(actions);
    applyColors();
    QFrame::show();
}

/// Buttons go later: one of them may be what led here.
void Banner::setActions(const std::vector<BannerAction>& actions) {
    while (QLayoutItem* item = actions_->takeAt(0)) {
        item->widget()->hide();
        item->widget()->setObjectName({});
        item->widget()->deleteLater();
        delete item;
    }
    for (const BannerAction& action : actions) {
        auto* button = new QPushButton(action.text, this);
        button->setObjectName(action.name);
        button->setProperty("primary", &action == &actions.front() && actions.size() > 1);
        connect(button, &QPushButton::clicked, this, action.run);
        actions_->addWidget(button, 0, Qt::AlignVCenter);
        button->show();
    }
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
