// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QVideoFrame>

namespace temper::ui {

/// A camera's frame as RGB888, turned and mirrored as the frame says; null if its format can't be
/// read.
QImage imageOf(const QVideoFrame& frame);

}  // namespace temper::ui
