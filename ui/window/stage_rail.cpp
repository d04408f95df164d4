// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/stage_rail.h"

#include <QEnterEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

namespace temper::ui {

namespace {

// In line heights.
constexpr double kMinHeight = 1.25;
constexpr double kIconLeft = 0.7, kIcon = 1.25, kTextGap = 0.6, kMarkRoom = 1.7;
constexpr double kStateScale = 0.86;  ///< of the state's type

}  // namespace

StageButton::StageButton(const QString& icon, const QString& title, QWidget* parent)
    : QAbstractButton(parent), icon_(icon), caption_(title) {
    setCheckable(true);
    setAutoExclusive(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    setText(title);
    setAccessibleName(title);
}

void StageButton::setStatus(const StageStatus& status) {
    if (!std::exchange(showsState_, true)) updateGeometry();
    if (status.state == status_.state && status.text == status_.text) return;
    status_ = status;
    setAccessibleDescription(status.text);
    refreshToolTip();
    update();
}

void StageButton::setCompact(bool compact) {
    if (std::exchange(isCompact_, compact) == compact) return;
    refreshToolTip();
    updateGeometry();
    update();
}

void StageButton::refreshToolTip() {
    const int needed = QFontMetrics(stateFont()).horizontalAdvance(status_.text);
    setToolTip(isCompact_ ? caption_ : needed > textWidth() ? status_.text : QString());
}

int StageButton::textLeft() const { return em(this, kIconLeft + kIcon + kTextGap); }

int StageButton::textWidth() const {
    return isCompact_ ? 0 : std::max(0, width() - textLeft() - em(this, kMarkRoom));
}

QFont StageButton::stateFont() const {
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * kStateScale);
    return small;
}

void StageButton::resizeEvent(QResizeEvent* event) {
    QAbstractButton::resizeEvent(event);
    refreshToolTip();
}

QSize StageButton::sizeWhen(bool compact) const {
    if (compact) return {em(this, 2.6), em(this, 2.3)};
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const int needed =
        textLeft() + QFontMetrics(bold).horizontalAdvance(caption_) + em(this, kMarkRoom);
    return {std::max(em(this, 12), needed), em(this, showsState_ ? 3.1 : 2.3)};
}

/// A low window has room only for the icon, or for the caption without the text below.
QSize StageButton::minimumSizeHint() const { return {sizeHint().width(), em(this, kMinHeight)}; }

void StageButton::enterEvent(QEnterEvent* event) {
    update();
    QAbstractButton::enterEvent(event);
}

void StageButton::leaveEvent(QEvent* event) {
    update();
    QAbstractButton::leaveEvent(event);
}

void StageButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colors& colors = colorsOf(palette());
    const QRectF body = QRectF(rect()).adjusted(1, 1, -1, -1);
    if (isChecked() || underMouse() || hasFocus()) {
        painter.setPen(hasFocus() ? QPen(colors.accent) : QPen(Qt::NoPen));
        painter.setBrush(isChecked() ? blend(colors.window, colors.accent, 0.16) : colors.raised);
        painter.drawRoundedRect(body, 6, 6);
    }
    const bool locked = showsState_ && status_.state == StageState::Locked;
    const QColor ink = isChecked() ? colors.accent : locked ? colors.muted : colors.text;
    const int icon = em(this, kIcon);
    const int left = isCompact_ ? (width() - icon) / 2 : em(this, kIconLeft);
    themedIcon(icon_, ink).paint(&painter, left, (height() - icon) / 2, icon, icon);

    if (isCompact_) return;
    QFont bold = font();
    bold.setWeight(isChecked() ? QFont::DemiBold : QFont::Normal);
    painter.setFont(bold);
    painter.setPen(isChecked() ? colors.accent : locked ? colors.muted : colors.text);
    const int line = em(this);
    const bool showsState = showsState_ && height() > 2 * line;
    const int top = (height() - (showsState ? 2 * line + 1 : line)) / 2;
    painter.drawText(QRect(textLeft(), top, textWidth(), line), Qt::AlignVCenter, caption_);
    if (!showsState_) return;
    if (showsState) paintState(painter, {textLeft(), top + line, textWidth(), line});
    const double size = em(this, 0.85);
    paintMark(painter, {width() - size - em(this, 0.6), (height() - size) / 2.0, size, size});
}

void StageButton::paintState(QPainter& painter, const QRect& place) const {
    painter.setFont(stateFont());
    painter.setPen(colorsOf(palette()).muted);
    painter.drawText(
        place, Qt::AlignVCenter,
        QFontMetrics(stateFont()).elidedText(status_.text, Qt::ElideRight, place.width()));
}

void StageButton::paintMark(QPainter& painter, const QRectF& place) const {
    const Colors& colors = colorsOf(palette());
    const auto icon = [&](const char* name, const QColor& color) {
        themedIcon(QLatin1String(name), color).paint(&painter, place.toAlignedRect());
    };
    switch (status_.state) {
        case StageState::Locked: return icon("lock", colors.muted);
        case StageState::Attention: return icon("warning", colors.attention);
        case StageState::Done: return icon("check", colors.good);
        case StageState::Ready: return icon("chevron-right", colors.accent);
        case StageState::Running: break;
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.accent);
    painter.drawEllipse(place.adjusted(2, 2, -2, -2));
}

StageRail::StageRail(QWidget* parent) : QFrame(parent), layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(em(this, 0.5), em(this, 0.6), em(this, 0.5), em(this, 0.6));
    layout_->setSpacing(em(this, 0.2));
    setAccessibleName(tr("Stages"));
}

StageButton* StageRail::addStage(const QString& id, const QString& icon, const QString& title) {
    auto* button = new StageButton(icon, title, this);
    button->setObjectName(QStringLiteral("stage-") + id);
    layout_->addWidget(button);
    connect(button, &QAbstractButton::clicked, this, [this, id] { emit stageRequested(id); });
    rows_.push_back({id, button});
    return button;
}

void StageRail::addGap() { layout_->addSpacing(em(this, 0.8)); }

void StageRail::finish() { layout_->addStretch(1); }

void StageRail::setStatus(const QString& id, const StageStatus& status) {
    for (const Row& row : rows_)
        if (row.id == id) row.button->setStatus(status);
}

void StageRail::setCompact(bool compact) {
    isCompact_ = compact;
    refresh();
}

void StageRail::setNarrow(bool narrow) {
    isNarrow_ = narrow;
    refresh();
}

void StageRail::refresh() {
    for (const Row& row : rows_) row.button->setCompact(isCompact_ || isNarrow_);
}

int StageRail::widthWhen(bool narrow) const {
    int width = 0;
    for (const Row& row : rows_)
        width = std::max(width, row.button->sizeWhen(narrow || isCompact_).width());
    const QMargins margins = layout_->contentsMargins();
    return width + margins.left() + margins.right();
}

void StageRail::setCurrent(const QString& id) {
    for (const Row& row : rows_)
        if (row.id == id) row.button->setChecked(true);
}

}  // namespace temper::ui
