// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <QtPlugin>
#include <functional>
#include <memory>
#include <vector>

#include "engine/data/sound/sound.h"

namespace temper::ui {

/// A camera or a microphone.
struct CaptureDevice {
    QString id;    ///< the same at each start
    QString name;  ///< for people
};

enum class CaptureFault {
    NotOpened,  ///< another program may be using it
    Unplugged,  ///< it is no longer connected
    Other,      ///< see CaptureFailure::details
};

/// Why a device delivers nothing any more.
struct CaptureFailure {
    CaptureFault fault = CaptureFault::Other;
    QString details = {};  ///< of the system; may be empty
};

/// Called on the GUI thread, never while the source is being opened. A listener may destroy the
/// source.
template <typename Piece>
struct CaptureListener {
    std::function<void(const Piece&)> received;
    std::function<void(const CaptureFailure&)> failed;
};
/// Frames as they are seen, not mirrored. Format: RGB888.
using PictureListener = CaptureListener<QImage>;
/// Consecutive pieces of one recording.
using SoundListener = CaptureListener<Sound>;

/// A device in use. Its destructor releases the device.
class CaptureSource {
public:
    virtual ~CaptureSource() = default;
};

/// Cameras and microphones. Nothing is recorded before a device is opened.
/// Thread: the GUI thread.
class CaptureDevices {
public:
    virtual ~CaptureDevices() = default;

    /// The connected devices, the system's usual one first.
    virtual std::vector<CaptureDevice> cameras() const = 0;
    virtual std::vector<CaptureDevice> microphones() const = 0;
    /// `changed` is called when a device was plugged in or out.
    virtual void watch(std::function<void()> changed) = 0;

    virtual std::unique_ptr<CaptureSource> openCamera(const QString& id,
                                                      PictureListener listener) = 0;
    virtual std::unique_ptr<CaptureSource> openMicrophone(const QString& id,
                                                          SoundListener listener) = 0;
};

/// What a module offers, see CaptureModule.
class CaptureProvider {
public:
    virtual ~CaptureProvider() = default;
    virtual std::unique_ptr<CaptureDevices> devices() = 0;
};

}  // namespace temper::ui

/// Its number changes with this file: modules for another number are refused.
#define TEMPER_CAPTURE_INTERFACE "temper.CaptureProvider/1"
Q_DECLARE_INTERFACE(temper::ui::CaptureProvider, TEMPER_CAPTURE_INTERFACE)
