// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/device_choice.h"

#include <algorithm>

namespace temper::ui {

DeviceChoice::DeviceChoice(QWidget* parent) : NarrowCombo(parent) { hide(); }

void DeviceChoice::setDevices(const std::vector<CaptureDevice>& devices) {
    const QString before = id();
    clear();
    for (const CaptureDevice& device : devices) addItem(device.name, device.id);
    setCurrentIndex(devices.empty() ? -1 : std::max(0, findData(before)));
    limitWidth();
    setVisible(devices.size() > 1);
}

}  // namespace temper::ui
