// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/live_picture.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

/// Of 255; what the model does not get stays recognizable.
constexpr int kShade = 150;

}  // namespace

LivePicture::LivePicture(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Picture of the camera"));
    setMinimumSize(em(this, 9), em(this, 9));
    auto* column = new QVBoxLayout(this);
    message_ = new QLabel(this);
    message_->setAlignment(Qt::AlignCenter);
    message_->setWordWrap(true);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(message_);
}

QSize LivePicture::sizeHint() const { return {em(this, 16), em(this, 16)}; }

void LivePicture::setPicture(const QImage& picture) {
    picture_ = picture;
    message_->clear();
    update();
}

void LivePicture::setMessage(const QString& message) {
    picture_ = {};
    message_->setText(message);
    update();
}

QString LivePicture::message() const { return message_->text(); }

void LivePicture::setAspect(double aspect) {
    aspect_ = aspect;
    update();
}

QRect LivePicture::taken() const {
    const double width = std::min(double(picture_.width()), picture_.height() * aspect_);
    QRect part(0, 0, qRound(width), qRound(width / aspect_));
    part.moveCenter(picture_.rect().center());
    return part;
}

void LivePicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    const Colors& colors = currentColors();
    if (picture_.isNull()) {
        painter.fillRect(rect(), colors.raised);
    } else {
        QRect place(QPoint(), picture_.size().scaled(size(), Qt::KeepAspectRatio));
        place.moveCenter(rect().center());
        painter.drawImage(place, picture_);
        const double scale = place.width() / double(picture_.width());
        const QRect part = taken();
        const QRect bright(place.topLeft() + (QPointF(part.topLeft()) * scale).toPoint(),
                           (QSizeF(part.size()) * scale).toSize());
        painter.setClipRegion(QRegion(place) - QRegion(bright));
        painter.fillRect(place, QColor(0, 0, 0, kShade));
        painter.setClipping(false);
    }
    painter.setPen(colors.border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace temper::ui
