// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "ui/capture/capture_devices.h"

namespace temper::ui {

/// Cameras and microphones of a test, which sends what they see and hear.
class FakeCapture {
public:
    FakeCapture();

    /// For CaptureModule::use(); it may be destroyed before or after this.
    std::unique_ptr<CaptureDevices> devices() const;

    void setCameras(const QStringList& names);
    void setMicrophones(const QStringList& names);
    /// Ids of the devices in use.
    QStringList camerasInUse() const;
    QStringList microphonesInUse() const;
    /// All that were ever opened, in this order.
    QStringList opened() const;

    /// To those who listen.
    void send(const QImage& frame);
    void send(const Sound& piece);
    void failCamera(const CaptureFailure& failure);
    void failMicrophone(const CaptureFailure& failure);

    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace temper::ui
