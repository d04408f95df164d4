// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMediaDevices>
#include <QObject>

#include "ui/capture/capture_devices.h"

namespace temper::ui {

/// The devices that Qt Multimedia knows.
class QtMediaDevices : public CaptureDevices {
public:
    std::vector<CaptureDevice> cameras() const override;
    std::vector<CaptureDevice> microphones() const override;
    void watch(std::function<void()> changed) override;
    std::unique_ptr<CaptureSource> openCamera(const QString& id, PictureListener listener) override;
    std::unique_ptr<CaptureSource> openMicrophone(const QString& id,
                                                  SoundListener listener) override;

private:
    QMediaDevices system_;
};

}  // namespace temper::ui
