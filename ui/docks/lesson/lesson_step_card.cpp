// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/lesson/lesson_step_card.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

LessonStepCard::LessonStepCard(const Content& content, QWidget* parent)
    : QFrame(parent), done_(new QCheckBox(this)) {
    setProperty("card", true);
    setAccessibleName(content.title);
    auto* layout = new QVBoxLayout(this);
    const int margin = em(this, 0.6);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(em(this, 0.35));
    auto* head = new QHBoxLayout;
    head->setSpacing(em(this, 0.4));
    done_->setAccessibleName(tr("Done: %1").arg(content.title));
    done_->setObjectName(QStringLiteral("stepDone-%1").arg(content.number));
    done_->setToolTip(
        tr("Ticked automatically once the step is done; you can also tick it yourself."));
    head->addWidget(done_, 0, Qt::AlignTop);
    auto* title = makeLabel(tr("%1. %2").arg(content.number).arg(content.title), "heading", this);
    title->setWordWrap(true);
    head->addWidget(title, 1);
    layout->addLayout(head);
    auto* body = makeLabel(content.text, "", this);
    body->setWordWrap(true);
    layout->addWidget(body);
    connect(done_, &QCheckBox::toggled, this, &LessonStepCard::doneChanged);
    if (content.button.isEmpty()) return;
    auto* open = new QPushButton(themedIcon(content.icon), content.button, this);
    open->setAccessibleName(tr("%1, for step %2").arg(content.button).arg(content.number));
    open->setObjectName(QStringLiteral("stepOpen-%1").arg(content.number));
    layout->addWidget(open, 0, Qt::AlignLeft);
    connect(open, &QPushButton::clicked, this, &LessonStepCard::opened);
}

void LessonStepCard::setDone(bool done) { done_->setChecked(done); }

bool LessonStepCard::isDone() const { return done_->isChecked(); }

void LessonStepCard::setCurrent(bool current) {
    if (current == current_) return;
    current_ = current;
    setProperty("current", current);
    style()->unpolish(this);  // the stylesheet evaluates properties when it is applied
    style()->polish(this);
}

}  // namespace temper::ui
