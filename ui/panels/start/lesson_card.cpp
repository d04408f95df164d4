// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/start/lesson_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

LessonCard::LessonCard(const QString& name, const QString& title, const QString& summary,
                       QWidget* parent)
    : QFrame(parent), name_(name), icon_(new QLabel(this)) {
    setProperty("card", true);
    setCursor(Qt::PointingHandCursor);
    setObjectName(QStringLiteral("lesson-") + name);
    setAccessibleName(title);
    auto* layout = new QVBoxLayout(this);
    const int margin = em(this, 0.8);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->addLayout(buildHead(title));
    auto* body = makeLabel(summary, "muted", this);
    body->setWordWrap(true);
    body->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    layout->addWidget(body, 1);
    auto* button = new QPushButton(themedIcon(QStringLiteral("play")), tr("Open lesson"), this);
    button->setObjectName(QStringLiteral("open-") + name);
    button->setAccessibleName(tr("Open lesson %1").arg(title));
    layout->addWidget(button, 0, Qt::AlignLeft);
    connect(button, &QPushButton::clicked, this, [this] { emit opened(name_); });
}

QLayout* LessonCard::buildHead(const QString& title) {
    auto* row = new QHBoxLayout;
    row->setSpacing(em(this, 0.5));
    showIcon();
    row->addWidget(icon_, 0, Qt::AlignTop);
    auto* label = makeLabel(title, "heading", this);
    label->setWordWrap(true);
    row->addWidget(label, 1);
    return row;
}

void LessonCard::showIcon() {
    const int size = em(this, 1.6);
    icon_->setPixmap(themedIcon(QStringLiteral("lesson-") + name_).pixmap(size, size));
}

void LessonCard::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) showIcon();
    QFrame::changeEvent(event);
}

void LessonCard::mouseReleaseEvent(QMouseEvent* event) {
    if (rect().contains(event->position().toPoint())) emit opened(name_);
}

}  // namespace temper::ui
