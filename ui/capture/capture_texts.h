// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/capture/capture_devices.h"

namespace temper::ui {

/// What happened to a camera and what to do, for people.
QString cameraText(const CaptureFailure& failure);
QString microphoneText(const CaptureFailure& failure);

}  // namespace temper::ui
