// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/frame_image.h"

namespace temper::ui {

QImage imageOf(const QVideoFrame& frame) {
    return frame.toImage().convertToFormat(QImage::Format_RGB888);
}

}  // namespace temper::ui
