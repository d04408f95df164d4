// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/camera_source.h"

#include <QMediaDevices>
#include <chrono>
#include <utility>

#include "plugins/media/camera_format.h"
#include "plugins/media/frame_image.h"

namespace temper::ui {
namespace {

/// A camera may deliver frames faster than they can be converted and shown.
constexpr std::chrono::milliseconds kInterval{50};

std::vector<CameraForm> formsOf(const QList<QCameraFormat>& formats) {
    std::vector<CameraForm> forms;
    for (const QCameraFormat& format : formats)
        forms.push_back({format.resolution(), format.maxFrameRate()});
    return forms;
}

}  // namespace

CameraSource::CameraSource(const QCameraDevice& device, PictureListener listener)
    : listener_(std::move(listener)), device_(device), camera_(device) {
    const QList<QCameraFormat> formats = device.videoFormats();
    if (const auto chosen = chooseCameraForm(formsOf(formats)))
        camera_.setCameraFormat(formats[static_cast<qsizetype>(*chosen)]);
    session_.setCamera(&camera_);
    session_.setVideoSink(&sink_);
    // Queued: a listener may destroy the camera, which must not happen in its own signal.
    connect(
        &camera_, &QCamera::errorOccurred, this,
        [this](QCamera::Error error, const QString& text) {
            if (error != QCamera::NoError) fail(text);
        },
        Qt::QueuedConnection);
    // The camera's thread sends them; storing one costs nothing.
    connect(&sink_, &QVideoSink::videoFrameChanged, this, [this](const QVideoFrame& frame) {
        latest_ = frame;
        isNew_ = frame.isValid();
    });
    timer_.setInterval(kInterval);
    connect(&timer_, &QTimer::timeout, this, &CameraSource::look);
    if (device.isNull()) {
        QMetaObject::invokeMethod(
            this, [this] { fail({}); }, Qt::QueuedConnection);
        return;
    }
    timer_.start();
    camera_.start();
}

CameraSource::~CameraSource() {
    camera_.stop();
    session_.setVideoSink(nullptr);
    session_.setCamera(nullptr);
}

void CameraSource::look() {
    if (!std::exchange(isNew_, false)) return;
    const QImage image = imageOf(latest_);
    const auto received = listener_.received;
    if (!image.isNull()) received(image);
}

void CameraSource::fail(const QString& details) {
    timer_.stop();
    const bool isThere = QMediaDevices::videoInputs().contains(device_);
    const CaptureFault fault = !isThere             ? CaptureFault::Unplugged
                               : !latest_.isValid() ? CaptureFault::NotOpened
                                                    : CaptureFault::Other;
    const auto failed = listener_.failed;  // may destroy this
    failed({fault, details});
}

}  // namespace temper::ui
