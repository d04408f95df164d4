// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/frame_image.h"

#include <QTransform>

namespace temper::ui {

QImage imageOf(const QVideoFrame& frame) {
    QImage image = frame.toImage().convertToFormat(QImage::Format_RGB888);
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
    // Since 6.8, toImage() leaves out what the frame itself asks for, which comes last.
    if (frame.rotation() != QtVideo::Rotation::None)
        image = image.transformed(QTransform().rotate(qreal(frame.rotation())));
    if (frame.mirrored()) image = image.mirrored(true, false);
#endif
    return image;
}

}  // namespace temper::ui
