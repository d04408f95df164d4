// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/qt_media_provider.h"

#include "plugins/media/qt_media_devices.h"

namespace temper::ui {

std::unique_ptr<CaptureDevices> QtMediaProvider::devices() {
    return std::make_unique<QtMediaDevices>();
}

}  // namespace temper::ui
