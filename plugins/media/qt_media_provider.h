// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/capture/capture_devices.h"

namespace temper::ui {

/// The entry point of the module.
class QtMediaProvider : public QObject, public CaptureProvider {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID TEMPER_CAPTURE_INTERFACE)
    Q_INTERFACES(temper::ui::CaptureProvider)
public:
    std::unique_ptr<CaptureDevices> devices() override;
};

}  // namespace temper::ui
