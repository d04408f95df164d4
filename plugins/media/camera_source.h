// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCamera>
#include <QCameraDevice>
#include <QMediaCaptureSession>
#include <QObject>
#include <QTimer>
#include <QVideoFrame>
#include <QVideoSink>

#include "ui/capture/capture_devices.h"

namespace temper::ui {

/// A camera that delivers frames.
class CameraSource : public QObject, public CaptureSource {
    Q_OBJECT
public:
    CameraSource(const QCameraDevice& device, PictureListener listener);
    ~CameraSource() override;

private:
    void look();
    void fail(const QString& details);

    PictureListener listener_;
    QCameraDevice device_;
    QCamera camera_;
    QVideoSink sink_;
    QMediaCaptureSession session_;
    QTimer timer_;
    QVideoFrame latest_;
    bool isNew_ = false;  ///< latest_ was not sent yet
};

}  // namespace temper::ui
