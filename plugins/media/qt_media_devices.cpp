// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/qt_media_devices.h"

#include <QAudioDevice>
#include <QCameraDevice>
#include <utility>

#include "plugins/media/camera_source.h"
#include "plugins/media/microphone_source.h"

namespace temper::ui {
namespace {

/// The default one first.
template <typename Devices, typename Device>
std::vector<CaptureDevice> listOf(const Devices& devices, const Device& usual) {
    std::vector<CaptureDevice> list;
    for (const Device& device : devices) {
        const auto place = device == usual ? list.begin() : list.end();
        list.insert(place, {QString::fromUtf8(device.id()), device.description()});
    }
    return list;
}

/// One that is not valid if there is none with this id.
template <typename Devices>
auto deviceOf(const Devices& devices, const QString& id) {
    for (const auto& device : devices)
        if (QString::fromUtf8(device.id()) == id) return device;
    return typename Devices::value_type();
}

}  // namespace

std::vector<CaptureDevice> QtMediaDevices::cameras() const {
    return listOf(QMediaDevices::videoInputs(), QMediaDevices::defaultVideoInput());
}

std::vector<CaptureDevice> QtMediaDevices::microphones() const {
    return listOf(QMediaDevices::audioInputs(), QMediaDevices::defaultAudioInput());
}

void QtMediaDevices::watch(std::function<void()> changed) {
    for (const auto signal :
         {&QMediaDevices::videoInputsChanged, &QMediaDevices::audioInputsChanged})
        QObject::connect(&system_, signal, &system_, changed);
}

std::unique_ptr<CaptureSource> QtMediaDevices::openCamera(const QString& id,
                                                          PictureListener listener) {
    return std::make_unique<CameraSource>(deviceOf(QMediaDevices::videoInputs(), id),
                                          std::move(listener));
}

std::unique_ptr<CaptureSource> QtMediaDevices::openMicrophone(const QString& id,
                                                              SoundListener listener) {
    return std::make_unique<MicrophoneSource>(deviceOf(QMediaDevices::audioInputs(), id),
                                              std::move(listener));
}

}  // namespace temper::ui
