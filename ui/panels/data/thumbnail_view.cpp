// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/thumbnail_view.h"

#include <QPainter>
#include <algorithm>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {

ThumbnailView::ThumbnailView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("First samples"));
    setMinimumHeight(em(this, 7));
}

void ThumbnailView::setThumbnails(std::vector<Thumbnail> thumbnails) {
    thumbnails_ = std::move(thumbnails);
    update();
}

int ThumbnailView::fittingSize(int gap, int caption) const {
    const int smallest = em(this, 4), largest = em(this, 8);
    for (int size = largest; size > smallest; size -= 2) {
        const int columns = std::max(1, (width() + gap) / (size + gap));
        const int rows = (count() + columns - 1) / columns;
        if (rows * (size + caption + gap) <= height()) return size;
    }
    return smallest;
}

void ThumbnailView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = colorsOf(palette());
    const int gap = em(this, 0.7), caption = em(this, 1.3), size = fittingSize(gap, caption);
    QStringList captions;
    for (const Thumbnail& thumbnail : thumbnails_) captions << thumbnail.caption;
    int x = 0, y = 0;
    qsizetype index = 0;
    for (const Thumbnail& thumbnail : thumbnails_) {
        if (x + size > width()) {
            x = 0;
            y += size + caption + gap;
        }
        if (y + size > height()) return;
        const QRect place(x, y, size, size);
        const QSize scaled =
            thumbnail.image.size().scaled(place.size() - QSize(2, 2), Qt::KeepAspectRatio);
        QRect inside(QPoint(), scaled);
        inside.moveCenter(place.center());
        painter.fillRect(place, colors.raised);
        painter.drawImage(inside, thumbnail.image);
        painter.setPen(colors.muted);
        painter.drawText(QRect(x, y + size, size, caption), Qt::AlignCenter,
                         elidedName(fontMetrics(), captions, index++, size));
        x += size + gap;
    }
}

}  // namespace temper::ui
