// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/capture/capture_devices.h"
#include "ui/widgets/narrow_combo.h"

namespace temper::ui {

/// The cameras or microphones to choose from; hidden if there is no choice.
class DeviceChoice : public NarrowCombo {
    Q_OBJECT
public:
    explicit DeviceChoice(QWidget* parent = nullptr);

    /// Keeps the chosen device, else takes the first.
    void setDevices(const std::vector<CaptureDevice>& devices);
    /// Empty if there is no device.
    QString id() const { return currentData().toString(); }
};

}  // namespace temper::ui
