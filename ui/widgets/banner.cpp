// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/banner.h"

#include <QClipboard>
#include <QEvent>
#include <QFontDatabase>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/fold.h"

namespace temper::ui {
namespace {

constexpr double kMaxButtonShare = 0.35;  ///< of the width, for buttons beside a long text

}  // namespace

Banner::Banner(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      title_(new QLabel(this)),
      message_(new QLabel(this)),
      actions_(new QHBoxLayout) {
    setObjectName(QStringLiteral("banner"));
    grid_ = new QGridLayout(this);
    grid_->setColumnStretch(1, 1);
    grid_->addWidget(icon_, 0, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(em(this, 0.15));
    title_->setProperty("role", "heading");
    for (QLabel* label : {title_, message_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    column->addWidget(buildDetails());
    grid_->addLayout(column, 0, 1);
    grid_->addLayout(actions_, 0, 2);
    auto* close = new QToolButton(this);
    close->setAutoRaise(true);
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setAccessibleName(tr("Close message"));
    grid_->addWidget(close, 0, 3, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

QWidget* Banner::buildDetails() {
    auto* content = new QWidget(this);
    auto* row = new QHBoxLayout(content);
    row->setContentsMargins(0, 0, 0, 0);
    details_ = new QPlainTextEdit(content);
    details_->setObjectName(QStringLiteral("bannerDetails"));
    details_->setReadOnly(true);
    details_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    details_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    details_->setTabChangesFocus(true);
    details_->setMinimumHeight(em(this, 4));  // a full page leaves little room
    details_->setMaximumHeight(em(this, 9));
    details_->setAccessibleName(tr("All details of the failure"));
    auto* copy = new QPushButton(themedIcon(QStringLiteral("copy")), tr("Copy details"), content);
    copy->setObjectName(QStringLiteral("copyDetails"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(details_->toPlainText()); });
    row->addWidget(details_, 1);
    row->addWidget(copy, 0, Qt::AlignTop);
    fold_ = new Fold(tr("Details"), content, this);
    fold_->button()->setObjectName(QStringLiteral("bannerDetailsButton"));
    return fold_;
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
    if (details_->toPlainText() != message.details) fold_->setOpen(false);
    details_->setPlainText(message.details);
    fold_->setVisible(!message.details.isEmpty());
    setActions(actions);
    arrange();
    applyColors();
    QFrame::show();
}

/// Deletes buttons later: one of them may be the sender.
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
        const bool isFirst = &action == &actions.front() && actions.size() > 1;
        button->setProperty("primary", isFirst || action.isPrimary);
        connect(button, &QPushButton::clicked, this, action.run);
        actions_->addWidget(button, 0, Qt::AlignVCenter);
        button->show();
    }
}

/// Buttons are below a long text: beside it, they would make a narrow column of it.
void Banner::arrange() {
    int buttons = 0;
    for (int i = 0; i < actions_->count(); ++i)
        buttons += actions_->itemAt(i)->sizeHint().width() + actions_->spacing();
    int line = 0;
    for (const QString& each : message_->text().split(QLatin1Char('\n')))
        line = std::max(line, message_->fontMetrics().horizontalAdvance(each));
    const int room = width() - em(this, 6);  // beside the icon and the button that closes
    const bool areBelow = line > room - buttons && buttons > kMaxButtonShare * room;
    if (areBelow == std::exchange(areBelow_, areBelow)) return;
    grid_->removeItem(actions_);
    actions_->setParent(nullptr);
    areBelow ? grid_->addLayout(actions_, 1, 1, Qt::AlignLeft) : grid_->addLayout(actions_, 0, 2);
}

void Banner::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange();
}

QString Banner::text() const { return title_->text() + QLatin1Char('\n') + message_->text(); }

QString Banner::details() const { return details_->toPlainText(); }

void Banner::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && !applying_) applyColors();
    QFrame::changeEvent(event);
}

void Banner::applyColors() {
    // Its own palette has the background of its stylesheet.
    const Colors& colors = currentColors();
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
